//! A container's image as an OCI layout in one tar archive, which `docker load`, `podman load` and `skopeo copy oci-archive:` read
//! (image-spec 1.0): one layer that is a file system, its configuration, a manifest, an index.

use crate::archive;
use anyhow::{Context as _, Result};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;
use sha2::{Digest as _, Sha256};
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::Path;

/// The user of the image, who is not root.
const USER: &str = "1000:1000";
/// Where the project of the user is mounted.
const WORK: &str = "/work";
/// What the image does not need: caches, logs, lists of packages.
const LEFT_OUT: [&str; 7] = [
    "var/cache",
    "var/log",
    "var/lib/apt/lists",
    "tmp",
    "proc",
    "sys",
    "dev",
];

/// Writes the image of the file system `root`.
///
/// # Errors
/// A file cannot be read, or the image cannot be written.
pub fn write(root: &Path, out: &mut impl Write) -> Result<()> {
    let mut plain = Hashing::new(GzEncoder::new(Vec::new(), Compression::default()));
    let mut layer = tar::Builder::new(&mut plain);
    add(&mut layer, root, "")?;
    layer.into_inner()?;
    let (layer, of_plain) = plain.end();
    let layer = layer.finish()?;
    let config = json!({
        "architecture": "amd64",
        "os": "linux",
        "created": "1970-01-01T00:00:00Z",
        "config": {
            "User": USER,
            "WorkingDir": WORK,
            "Entrypoint": ["polypath"],
            "Cmd": ["--help"],
            "Env": [
                "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                "HOME=/tmp",
                "XDG_CACHE_HOME=/tmp/.cache",
            ],
            "Volumes": { "/tmp": {} },
        },
        "rootfs": { "type": "layers", "diff_ids": [format!("sha256:{of_plain}")] },
    });
    let mut image = tar::Builder::new(out);
    let mut blob = |media: &str, bytes: &[u8]| -> Result<serde_json::Value> {
        let digest = hex(&Sha256::digest(bytes));
        put(&mut image, &format!("blobs/sha256/{digest}"), bytes)?;
        Ok(json!({ "mediaType": media, "size": bytes.len(), "digest": format!("sha256:{digest}") }))
    };
    let layer = blob("application/vnd.oci.image.layer.v1.tar+gzip", &layer)?;
    let config = blob(
        "application/vnd.oci.image.config.v1+json",
        &serde_json::to_vec(&config)?,
    )?;
    let manifest = json!({
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": config,
        "layers": [layer],
    });
    let mut manifest = blob(
        "application/vnd.oci.image.manifest.v1+json",
        &serde_json::to_vec(&manifest)?,
    )?;
    manifest["annotations"] = json!({ "org.opencontainers.image.ref.name": crate::VERSION });
    let index = json!({ "schemaVersion": 2, "manifests": [manifest] });
    put(&mut image, "index.json", &serde_json::to_vec(&index)?)?;
    put(
        &mut image,
        "oci-layout",
        br#"{"imageLayoutVersion":"1.0.0"}"#,
    )?;
    image.finish()?;
    Ok(())
}

fn put<W: Write>(image: &mut tar::Builder<W>, name: &str, bytes: &[u8]) -> Result<()> {
    let mut header = archive::header(bytes.len() as u64, 0o644);
    Ok(image.append_data(&mut header, name, bytes)?)
}

/// Adds a folder's files in the order of their names; `name` is the folder's own, below the root.
fn add<W: Write>(layer: &mut tar::Builder<W>, root: &Path, name: &str) -> Result<()> {
    let folder = root.join(name);
    let mut entries: Vec<_> = fs::read_dir(&folder)
        .with_context(|| folder.display().to_string())?
        .collect::<io::Result<_>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let base = entry.file_name();
        let below = Path::new(name).join(base);
        let path = entry.path();
        let meta = entry.metadata()?;
        let mut header = archive::header(0, meta.mode() & 0o7777);
        header.set_uid(meta.uid().into());
        header.set_gid(meta.gid().into());
        let below_text = below.to_string_lossy().into_owned();
        if meta.is_dir() {
            header.set_entry_type(tar::EntryType::Directory);
            layer.append_data(&mut header, format!("{below_text}/"), io::empty())?;
            if !LEFT_OUT.contains(&below_text.as_str()) {
                add(layer, root, &below_text)?;
            }
        } else if meta.is_symlink() {
            header.set_entry_type(tar::EntryType::Symlink);
            layer.append_link(&mut header, &below, fs::read_link(&path)?)?;
        } else if meta.file_type().is_file() {
            let bytes = fs::read(&path).with_context(|| path.display().to_string())?;
            header.set_size(bytes.len() as u64);
            layer.append_data(&mut header, &below, bytes.as_slice())?;
        } else if meta.file_type().is_socket() || meta.file_type().is_fifo() {
            // Left by a service that ran while packages were installed.
        }
    }
    Ok(())
}

/// Counts what goes through into a digest.
struct Hashing<W> {
    inner: W,
    digest: Sha256,
}

impl<W: Write> Hashing<W> {
    fn new(inner: W) -> Self {
        Hashing {
            inner,
            digest: Sha256::new(),
        }
    }

    fn end(self) -> (W, String) {
        (self.inner, hex(&self.digest.finalize()))
    }
}

impl<W: Write> Write for Hashing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.inner.write(bytes)?;
        self.digest.update(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;
    use std::collections::BTreeMap;
    use std::io::Read as _;

    #[test]
    fn each_digest_is_that_of_its_blob_and_the_layer_is_the_file_system() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("usr/bin")).unwrap();
        fs::create_dir_all(root.path().join("var/log/apt")).unwrap();
        fs::write(root.path().join("usr/bin/x"), "program").unwrap();
        std::os::unix::fs::symlink("usr/bin", root.path().join("bin")).unwrap();
        let mut image = Vec::new();
        write(root.path(), &mut image).unwrap();
        let mut files = BTreeMap::new();
        for entry in tar::Archive::new(image.as_slice()).entries().unwrap() {
            let mut entry = entry.unwrap();
            let name = entry.path().unwrap().display().to_string();
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).unwrap();
            if let Some(digest) = name.strip_prefix("blobs/sha256/") {
                assert_eq!(hex(&Sha256::digest(&bytes)), digest);
            }
            files.insert(name, bytes);
        }
        let read = |descriptor: &Value| {
            let digest = descriptor["digest"].as_str().unwrap().replace(':', "/");
            let bytes = files[&format!("blobs/{digest}")].clone();
            assert_eq!(bytes.len() as u64, descriptor["size"].as_u64().unwrap());
            bytes
        };
        let index: Value = serde_json::from_slice(&files["index.json"]).unwrap();
        let manifest: Value = serde_json::from_slice(&read(&index["manifests"][0])).unwrap();
        let config: Value = serde_json::from_slice(&read(&manifest["config"])).unwrap();
        let layer = read(&manifest["layers"][0]);
        let mut plain = Vec::new();
        flate2::read::GzDecoder::new(layer.as_slice())
            .read_to_end(&mut plain)
            .unwrap();
        let of_plain = format!("sha256:{}", hex(&Sha256::digest(&plain)));
        assert_eq!(config["rootfs"]["diff_ids"][0], of_plain.as_str());
        let names: Vec<String> = tar::Archive::new(plain.as_slice())
            .entries()
            .unwrap()
            .map(|entry| entry.unwrap().path().unwrap().display().to_string())
            .collect();
        assert_eq!(
            names,
            ["bin", "usr/", "usr/bin/", "usr/bin/x", "var/", "var/log/"]
        );
    }
}

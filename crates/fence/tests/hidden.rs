//! Hidden directories, by either fence: nothing of them is seen but what is needed.

use super::inside::{behind_fence, host, tried, view};
use std::fs;
use std::os::unix::fs::symlink;

#[test]
fn of_a_home_programs_see_what_they_need_and_no_more() {
    if !testkit::need("namespaces") {
        return;
    }
    for ruled in [false, true] {
        let name = format!("hidden-{ruled}");
        let dir = host(&name);
        let home = dir.join("home");
        for file in [
            "secret",
            ".ssh/key",
            "project/program",
            "project/beside",
            "tool",
            "classes/deep/A.class",
            "open/file",
            "open/build/program",
        ] {
            let file = home.join(file);
            fs::create_dir_all(file.parent().expect("a directory")).expect("a directory");
            fs::write(file, "original").expect("a file");
        }
        symlink(&home, dir.join("link")).expect("a link");
        fs::write(dir.join("outside"), "original").expect("a file");
        let mut view = view(&name);
        view.place = dir.join("place");
        view.hidden.push(home.clone());
        // A program in a directory, one in the home itself, a directory, and a program in what is writable.
        view.needed = ["project/program", "tool", "classes", "open/build/program"]
            .map(|n| home.join(n))
            .into();
        view.writable.push(home.join("open"));
        let (fence, said) = behind_fence(&view, ruled, |_| {
            let reads = |name: &str| fs::read(home.join(name)).is_ok_and(|b| b == b"original");
            Ok(tried(&[
                ("secret", reads("secret")),
                ("by link", fs::read(dir.join("link/secret")).is_ok()),
                ("key", reads(".ssh/key")),
                ("names", fs::read_dir(home.join(".ssh")).is_ok()),
                ("program", reads("project/program")),
                ("beside", reads("project/beside")),
                ("tool", reads("tool")),
                ("class", reads("classes/deep/A.class")),
                ("outside", fs::read(dir.join("outside")).is_ok()),
                ("write", fs::write(home.join("project/new"), "x").is_ok()),
                ("make", fs::write(home.join("new"), "x").is_ok()),
                ("open", fs::write(home.join("open/file"), "changed").is_ok()),
                ("below", fs::write(home.join("open/build/new"), "x").is_ok()),
                ("run", reads("open/build/program")),
            ]))
        });
        if fence.starts_with("None(") {
            testkit::skip("this kernel has no Landlock");
            return;
        }
        assert_eq!(fence == "Namespaces", !ruled, "{fence}");
        let could: Vec<&str> = said
            .lines()
            .filter_map(|l| l.strip_suffix(": true"))
            .collect();
        assert_eq!(
            could,
            [
                "program", "beside", "tool", "class", "outside", "open", "below", "run"
            ],
            "{fence}: {said}"
        );
        assert_eq!(
            fs::read(home.join("open/file")).expect("it is there"),
            b"changed"
        );
    }
}

#[test]
fn homes_are_those_of_the_system_and_the_users_own() {
    // Whatever they are here, none is a directory of the system.
    for home in polypath_fence::homes() {
        assert!(
            home.is_absolute()
                && !["/", "/usr", "/etc"]
                    .iter()
                    .any(|dir| home.as_os_str() == *dir)
        );
    }
}

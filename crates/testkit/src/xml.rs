//! Checks that XML is well-formed.

/// Every start tag has its end tag, attributes are quoted, no stray `<` or `&`.
///
/// # Panics
/// It is not so.
pub fn assert_well_formed(text: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = text
        .strip_prefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>")
        .expect("a declaration");
    while let Some(at) = rest.find('<') {
        for entity in rest[..at].split('&').skip(1) {
            let name = entity.split(';').next().unwrap_or_default();
            assert!(
                ["lt", "gt", "amp", "quot", "#39"].contains(&name),
                "&{name}"
            );
        }
        let end = at + rest[at..].find('>').expect("a tag that ends");
        let tag = &rest[at + 1..end];
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
        } else {
            assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
            if !tag.ends_with('/') {
                open.push(tag.split(' ').next().unwrap_or_default());
            }
        }
        rest = &rest[end + 1..];
    }
    assert_eq!(open, Vec::<&str>::new());
}

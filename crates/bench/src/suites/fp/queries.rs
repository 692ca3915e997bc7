pub fn run(_: &super::Setting) -> anyhow::Result<Vec<(String, crate::tools::report::Report)>> {
    Ok(vec![])
}

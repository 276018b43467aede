//! What is committed of the protocol says what the program does.

use std::{fs, path::Path};

use elophanto::wire::gateway::schemas;

/// `ELOPHANTO_WRITE_ASSETS=1` writes them.
#[test]
fn the_schemas_are_those_of_the_types() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/gateway");
    let [client, gateway] = schemas();
    for (name, schema) in [("client", client), ("gateway", gateway)] {
        let path = folder.join(format!("{name}.schema.json"));
        let text = format!("{}\n", serde_json::to_string_pretty(&schema).unwrap());
        if std::env::var_os("ELOPHANTO_WRITE_ASSETS").is_some() {
            fs::create_dir_all(&folder).unwrap();
            fs::write(&path, &text).unwrap();
        }
        let kept = fs::read_to_string(&path).unwrap_or_default();
        assert!(kept == text, "`{}` is not what the types say now", path.display());
    }
}

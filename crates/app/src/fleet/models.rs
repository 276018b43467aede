//! Which models a place takes vectors of, and how it comes to take those of another one.

use crate::{Reporter, Result, Workspace, embedding::embedders::by_name, shell::quoted};
use elophanto_models::{Embedder, Fingerprint, bert::Bert, builtin::Builtin};
use elophanto_tables::{
    fleet::{Declared, Fleet, FleetError, Head, Model, Table},
    store::{Address, StoreError},
};
use elophanto_text::percent::decoded;

/// The models of a new place: that of who publishes first, and those that are in every program, so that
/// repositories of either are found by meaning by whoever asks.
pub(super) fn of_new_place(own: Model) -> Vec<Model> {
    let everywhere: [&dyn Embedder; 2] = [&Builtin, Bert::minilm()];
    let mut models = vec![own];
    for model in everywhere {
        let (name, dimension) = (model.fingerprint().to_string(), model.dimension());
        let model = Model { name, dimension };
        if !models.contains(&model) {
            models.push(model);
        }
    }
    models
}

/// The model that a table is of; `None` if this machine does not have it.
pub(super) fn of_table<'a>(
    table: &Table,
    workspace: &'a Workspace,
) -> Option<Box<dyn Embedder + 'a>> {
    let own = workspace.models.active();
    match own.fingerprint().as_str() == table.model() {
        true => Some(Box::new(own)),
        false => by_name(&Fingerprint::new(table.model()), workspace),
    }
}

/// The vector of what a table is asked; `None` where it is asked by words alone, which is told.
pub(super) fn vector(
    embedder: Option<&dyn Embedder>,
    text: &str,
    table: &Table,
    reporter: &dyn Reporter,
) -> Option<Vec<f32>> {
    let model = table.model();
    let told = match embedder.map(|embedder| embedder.embed_query(text)) {
        Some(Ok(vector)) => return Some(vector),
        Some(Err(cause)) => format!("`{model}` is asked by words alone: {cause}"),
        None => {
            format!("this machine does not have `{model}`: what it is of is asked by words alone")
        }
    };
    reporter.note(told);
    None
}

/// What a place takes; `None` where it is none yet, lists no model, or who publishes may not look.
pub(super) fn taken(fleet: &Fleet) -> Result<Option<Declared>> {
    match fleet.declared() {
        Ok(declared) => Ok(declared.filter(|declared| !declared.models.is_empty())),
        // Who may only write below its own folder cannot know: folding looks at it.
        Err(FleetError::Store(StoreError::Denied { .. })) => Ok(None),
        Err(cause) => Err(cause.into()),
    }
}

/// That texts go to a place without vectors, and the commands after which they go there with them.
pub(super) fn without_vectors(
    address: &Address,
    others: &Declared,
    own: &Model,
    head: &Head,
) -> String {
    let names: Vec<&str> = others.models.iter().map(|model| model.name.as_str()).collect();
    let (names, again) = (names.join("`, `"), head.epoch.saturating_add(1));
    let adding = adding(address, others, own);
    format!(
        "this place is of `{names}`, the vectors here are of `{}`: texts are published without them, and \
         found by words alone; for vectors of both run `{adding}`, then `elophanto publish {} --as {} \
         --epoch {again}`",
        own.name,
        quoted(address.as_str()),
        quoted(&head.repository)
    )
}

/// The command that lets a place take vectors of one model more, by the program of its store. Nothing here
/// does it: what a place takes is said by whose place it is.
fn adding(address: &Address, declared: &Declared, model: &Model) -> String {
    let mut declared = declared.clone();
    declared.models.push(model.clone());
    let text = quoted(&serde_json::to_string(&declared).unwrap_or_default());
    let (scheme, place) = address.as_str().split_once("://").unwrap_or_default();
    let object = quoted(&format!("{address}/kb.json"));
    match scheme {
        "s3" => format!("printf %s {text} | aws s3 cp - {object}"),
        "gs" => format!("printf %s {text} | gcloud storage cp - {object}"),
        "az" => {
            let (container, folder) = place.split_once('/').unwrap_or((place, ""));
            let name = format!("{folder}/kb.json");
            let name = quoted(name.trim_start_matches('/'));
            let container = quoted(container);
            format!(
                "az storage blob upload --overwrite --container-name {container} --name {name} --data {text}"
            )
        }
        _ => {
            let path = String::from_utf8_lossy(&decoded(place)).into_owned();
            format!("printf %s {text} > {}", quoted(&format!("{path}/kb.json")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(name: &str) -> Model {
        Model { name: name.to_owned(), dimension: 8 }
    }

    #[test]
    fn a_new_place_takes_what_every_program_has() {
        let own = model("own");
        let models = of_new_place(own.clone());
        let minilm = Bert::minilm();
        let names: Vec<&str> = models.iter().map(|model| model.name.as_str()).collect();
        assert_eq!(names, ["own", Builtin.fingerprint().as_str(), minilm.fingerprint().as_str()]);
        // Nobody twice, and whoever publishes first.
        let minilm = models[2].clone();
        assert_eq!(of_new_place(minilm.clone()), [minilm, models[1].clone()]);
    }

    #[test]
    fn the_command_is_that_of_the_store() {
        let declared = Declared { format: 2, models: vec![model("a")] };
        let text =
            r#"'{"format":2,"models":[{"name":"a","dimension":8},{"name":"b","dimension":8}]}'"#;
        for (address, expected) in [
            ("s3://bucket/kb", format!("printf %s {text} | aws s3 cp - s3://bucket/kb/kb.json")),
            ("gs://bucket", format!("printf %s {text} | gcloud storage cp - gs://bucket/kb.json")),
            (
                "az://notes/all/kb",
                format!(
                    "az storage blob upload --overwrite --container-name notes --name all/kb/kb.json \
                     --data {text}"
                ),
            ),
            ("file:///srv/our%20kb", format!("printf %s {text} > '/srv/our kb/kb.json'")),
        ] {
            let address = Address::parse(address).unwrap();
            assert_eq!(adding(&address, &declared, &model("b")), expected);
        }
    }
}

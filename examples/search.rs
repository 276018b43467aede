//! Searches the knowledge base around the current folder, by meaning and by keyword, offline:
//! `cargo run --example search -- how does the index survive a merge`

#![allow(clippy::print_stdout)]

use std::path::Path;

use elophanto::{
    Environment, Error, Silent, Workspace,
    search::{SearchRequest, search},
};

fn main() -> Result<(), Error> {
    let text = std::env::args().skip(1).collect::<Vec<_>>().join(" ");
    let workspace = Workspace::around(Path::new("."), Environment::offline(), Vec::new(), &Silent)?;
    let request = SearchRequest { text, ..SearchRequest::default() };
    let found = search(&workspace, &request, &Silent)?;
    for hit in &found.answer.hits {
        println!("{}:{}  {}", hit.path.to_text(), hit.line, hit.title);
        println!("    {}", hit.text[hit.snippet.clone()].trim().replace('\n', " "));
    }
    if let Some(confidence) = found.answer.confidence {
        println!("{} ({:.2})", confidence.level.name(), confidence.probability());
    }
    Ok(())
}

//! Answers a question with citations, or says honestly that what is known does not suffice:
//! `cargo run --example answer -- why are tables never rewritten`

#![allow(clippy::print_stdout)]

use std::path::Path;

use elophanto::{
    Environment, Error, Silent, Workspace,
    search::{SearchRequest, answer::answer, search},
};

fn main() -> Result<(), Error> {
    let text = std::env::args().skip(1).collect::<Vec<_>>().join(" ");
    let workspace = Workspace::around(Path::new("."), Environment::offline(), Vec::new(), &Silent)?;
    let request = SearchRequest { text, ..SearchRequest::default() };
    let found = search(&workspace, &request, &Silent)?;
    let reply = answer(&request.text, &found.answer, &workspace, false, &Silent)?;
    match (&reply.answer, &reply.nearest) {
        (Some(text), _) => println!("{text}\n"),
        (None, Some(place)) => println!("not known; the nearest is {}:{}", place.path, place.line),
        (None, None) => println!("nothing is known about that"),
    }
    for citation in &reply.citations {
        println!("[{}] {}:{}  {}", citation.number, citation.path, citation.line, citation.title);
    }
    Ok(())
}

//! Talking with the agent: the frame only. What is said comes over the gateway's socket.

use maud::html;
use serde_json::json;

use super::{Asked, Page, Tab, words};
use elophanto_app::Result;

pub fn page(asked: &Asked) -> Result<Page> {
    let socket = format!("{}socket", asked.site.root);
    asked.page(Tab::Chat, "Chat", &json!({ "socket": socket }), || html! {
        h1 { "Chat" }
        noscript { p.warn { "Talking here needs script. In a terminal, " code { "elophanto agent chat" } " does the same." } }
        div #chat data-socket=(socket) data-repository=(asked.name) data-notes=(asked.site.to("note/")) data-runs=(asked.site.to("run/")) hidden {
            p.quiet { span #state role="status" { "Connecting" } " " span #running {} }
            ol #said aria-live="polite" aria-label="What was said" tabindex="0" {}
            div #asks aria-live="assertive" {}
            form #say {
                label for="message" { "Message to the agent about " (words::line(&asked.name)) }
                textarea #message rows="3" required {}
                p.row {
                    button type="submit" { "Send" }
                    button type="button" data-command="stop" { "Stop" }
                    button type="button" data-command="undo" { "Undo" }
                    button type="button" data-command="status" { "How it stands" }
                }
                p.quiet { kbd { "Ctrl" } " + " kbd { "Enter" } " sends. Commands begin with " code { "/" } ": " code { "/help" } " lists them." }
            }
        }
    })
}

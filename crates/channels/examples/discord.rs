//! Discord on this machine, for client libraries: `discord [PORT]` says where it listens and its token, and
//! goes on until it is killed. `POST /control/NAME` has people write, press and react.
#![allow(clippy::print_stdout)]

use elophanto_channels::fake::discord::{Discord, TOKEN};

fn main() {
    let port = std::env::args().nth(1).and_then(|port| port.parse().ok()).unwrap_or(0);
    let discord = Discord::start(port);
    println!("{} {TOKEN}", discord.url);
    loop {
        std::thread::park();
    }
}

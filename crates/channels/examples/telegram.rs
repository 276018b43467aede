//! Telegram's Bot API on this machine, for client libraries: `telegram [PORT]` says where it listens, and
//! goes on until it is killed. `POST /control/NAME` has people write, press and react.
#![allow(clippy::print_stdout)]

use elophanto_channels::fake::telegram::{TOKEN, Telegram};

fn main() {
    let port = std::env::args().nth(1).and_then(|port| port.parse().ok()).unwrap_or(0);
    let telegram = Telegram::start(port);
    println!("{} {TOKEN}", telegram.url);
    loop {
        std::thread::park();
    }
}

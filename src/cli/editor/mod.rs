//! `elophanto editor`

mod install;

use super::{Json, commands};

commands! {
    /// Set up your editor
    struct EditorArgs(args, ui);
    Install(Json<install::InstallArgs>) => install::run(args, ui);
}

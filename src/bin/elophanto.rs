//! The program: one call into the library.

fn main() -> std::process::ExitCode {
    elophanto::cli::main()
}

//! This build script doubles as `protoc`.
//!
//! Called by cargo (no arguments) it copies its own executable to `OUT_DIR/protoc`. Called by
//! `prost-build` (with protoc's arguments) it compiles the named files into a descriptor set.

use std::{env, error::Error, fs, path::PathBuf, process::ExitCode};

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let done = if arguments.is_empty() { install() } else { compile(&arguments) };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(cause) => {
            eprintln!("protoc: {cause}");
            ExitCode::FAILURE
        }
    }
}

fn install() -> Result<(), Box<dyn Error>> {
    let name = format!("protoc{}", env::consts::EXE_SUFFIX);
    let target = PathBuf::from(env::var("OUT_DIR")?).join(name);
    fs::copy(env::current_exe()?, &target)?;
    println!("cargo::rustc-env=PURE_RUST_PROTOC={}", target.display());
    println!("cargo::rerun-if-changed=build.rs");
    Ok(())
}

/// Accepts what `prost-build` passes and refuses everything else, so that a new flag is noticed.
fn compile(arguments: &[String]) -> Result<(), Box<dyn Error>> {
    let mut includes = Vec::new();
    let mut files = Vec::new();
    let mut output = None;
    let (mut include_imports, mut include_source_info) = (false, false);
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--version" => {
                println!("libprotoc 27.1 (protox)");
                return Ok(());
            }
            "--include_imports" => include_imports = true,
            "--include_source_info" => include_source_info = true,
            "--experimental_allow_proto3_optional" => {}
            "-o" => output = arguments.next().map(PathBuf::from),
            "-I" => includes.extend(arguments.next().map(PathBuf::from)),
            flag if flag.starts_with('-') => return Err(format!("unknown flag {flag}").into()),
            file => files.push(PathBuf::from(file)),
        }
    }
    let output = output.ok_or("-o FILE is missing")?;
    let mut compiler = protox::Compiler::new(includes)?;
    compiler.include_imports(include_imports).include_source_info(include_source_info);
    compiler.open_files(files)?;
    fs::write(output, compiler.encode_file_descriptor_set())?;
    Ok(())
}

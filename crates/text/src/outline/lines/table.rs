//! The languages that are read line by line.

use super::super::kind::{FileKind, ItemKind};

/// A language.
pub(super) struct Language {
    /// How comments to the end of the line begin.
    pub(super) line: &'static [&'static str],
    /// How other comments begin and end.
    pub(super) blocks: &'static [(&'static str, &'static str)],
    /// Words that may stand before those of `words`.
    pub(super) modifiers: &'static [&'static str],
    /// The words that say what is defined; its name follows.
    pub(super) words: &'static [(ItemKind, &'static [&'static str])],
    /// Words of both kinds that say that it is not offered to others.
    pub(super) hidden: &'static [&'static str],
    /// What lines begin with that import what follows.
    pub(super) imports: &'static [&'static str],
    /// Marks in names beside letters, digits and `_`.
    pub(super) in_names: &'static str,
    pub(super) form: Form,
}

/// How functions are told that no word says to be one.
#[derive(Clone, Copy)]
pub(super) enum Form {
    /// There are none.
    Words,
    /// By the type before their name: `int count(String text) {`.
    Typed,
    /// By what is assigned: `count <- function(text)`.
    Assigned,
    /// By the type behind their name: `count :: Text -> Int`.
    Signed,
    /// By what they come to: `count(Text) ->`.
    Clauses,
}

use ItemKind::{Class, Enum, Function, Interface, Macro, Module, Struct, Trait, TypeAlias, Union};

/// Comments and most words of the languages with braces.
const BRACES: Language = Language {
    line: &["//"],
    blocks: &[("/*", "*/")],
    modifiers: &[
        "public", "private", "protected", "internal", "static", "abstract", "final", "virtual",
        "override", "async", "sealed", "open", "partial", "readonly", "unsafe", "extern", "inline",
    ],
    words: &[(Class, &["class"]), (Interface, &["interface"]), (Enum, &["enum"])],
    hidden: &["private", "protected", "fileprivate", "local"],
    imports: &["import "],
    in_names: "",
    form: Form::Words,
};

const CPP: Language = Language {
    modifiers: &[
        "static", "inline", "constexpr", "virtual", "explicit", "extern", "typedef", "export",
    ],
    words: &[
        (Module, &["namespace"]),
        (Class, &["class"]),
        (Struct, &["struct"]),
        (Union, &["union"]),
        (Enum, &["enum"]),
        (TypeAlias, &["using"]),
    ],
    imports: &["#include ", "#import ", "import ", "using namespace "],
    in_names: ":",
    form: Form::Typed,
    ..BRACES
};

const C_SHARP: Language = Language {
    words: &[
        (Module, &["namespace"]),
        (Class, &["class", "record"]),
        (Struct, &["struct"]),
        (Interface, &["interface"]),
        (Enum, &["enum"]),
    ],
    imports: &["using static ", "global using ", "using "],
    in_names: ".",
    form: Form::Typed,
    ..BRACES
};

const KOTLIN: Language = Language {
    modifiers: &[
        "public", "private", "protected", "internal", "abstract", "final", "open", "override",
        "sealed", "data", "inner", "value", "annotation", "companion", "inline", "infix",
        "operator", "suspend", "tailrec", "external", "expect", "actual", "enum",
    ],
    words: &[
        (Class, &["class", "object"]),
        (Interface, &["interface"]),
        (TypeAlias, &["typealias"]),
        (Function, &["fun"]),
    ],
    in_names: ".",
    ..BRACES
};

const SWIFT: Language = Language {
    modifiers: &[
        "public", "private", "fileprivate", "internal", "open", "static", "final", "override",
        "mutating", "indirect", "convenience", "required", "nonisolated", "distributed",
    ],
    words: &[
        (Class, &["class", "actor"]),
        (Struct, &["struct"]),
        (Enum, &["enum"]),
        (Interface, &["protocol"]),
        (ItemKind::Impl, &["extension"]),
        (TypeAlias, &["typealias"]),
        (Function, &["func"]),
    ],
    imports: &["@testable import ", "import "],
    ..BRACES
};

const SCALA: Language = Language {
    modifiers: &[
        "private", "protected", "abstract", "final", "sealed", "case", "implicit", "lazy",
        "override", "inline", "open", "transparent", "opaque", "infix",
    ],
    words: &[
        (Class, &["class", "object"]),
        (Trait, &["trait"]),
        (Enum, &["enum"]),
        (TypeAlias, &["type"]),
        (Function, &["def"]),
    ],
    ..BRACES
};

const GROOVY: Language = Language {
    words: &[
        (Class, &["class"]),
        (Interface, &["interface"]),
        (Trait, &["trait"]),
        (Enum, &["enum"]),
    ],
    form: Form::Typed,
    ..BRACES
};

const DART: Language = Language {
    modifiers: &["abstract", "base", "final", "sealed", "static", "external", "mixin", "interface"],
    words: &[
        (Class, &["class", "mixin"]),
        (ItemKind::Impl, &["extension"]),
        (Enum, &["enum"]),
        (TypeAlias, &["typedef"]),
    ],
    imports: &["import ", "export "],
    form: Form::Typed,
    ..BRACES
};

const PHP: Language = Language {
    line: &["//", "#"],
    words: &[
        (Module, &["namespace"]),
        (Class, &["class"]),
        (Interface, &["interface"]),
        (Trait, &["trait"]),
        (Enum, &["enum"]),
        (Function, &["function"]),
    ],
    imports: &["use function ", "use ", "require_once ", "require ", "include_once ", "include "],
    in_names: "\\",
    ..BRACES
};

const ZIG: Language = Language {
    blocks: &[],
    modifiers: &["pub", "export", "extern", "inline"],
    words: &[(Function, &["fn"])],
    hidden: &[],
    imports: &[],
    ..BRACES
};

/// Comments of the languages that begin them with a hash.
const HASH: Language = Language {
    line: &["#"],
    blocks: &[],
    modifiers: &[],
    words: &[],
    hidden: &[],
    imports: &[],
    in_names: "",
    form: Form::Words,
};

const RUBY: Language = Language {
    blocks: &[("=begin", "=end")],
    modifiers: &["private", "protected", "public", "private_class_method", "module_function"],
    words: &[(Module, &["module"]), (Class, &["class"]), (Function, &["def"])],
    hidden: &["private", "protected", "private_class_method"],
    imports: &["require_relative ", "require ", "load ", "gem "],
    in_names: ".:?!=",
    ..HASH
};

const PERL: Language = Language {
    blocks: &[
        ("=head1 NAME", "=cut"),
        ("=pod", "=cut"),
        ("=head", "=cut"),
        ("=over", "=cut"),
        ("=begin", "=cut"),
    ],
    modifiers: &["async"],
    words: &[(Module, &["package"]), (Class, &["class"]), (Function, &["sub", "method"])],
    imports: &["use ", "require "],
    in_names: ":",
    ..HASH
};

const ELIXIR: Language = Language {
    blocks: &[
        ("@moduledoc \"\"\"", "\"\"\""),
        ("@moduledoc ~S\"\"\"", "\"\"\""),
        ("@doc \"\"\"", "\"\"\""),
        ("@doc ~S\"\"\"", "\"\"\""),
        ("@moduledoc \"", "\""),
        ("@doc \"", "\""),
    ],
    words: &[
        (Module, &["defmodule", "defimpl"]),
        (Interface, &["defprotocol"]),
        (Function, &["def", "defp", "defdelegate"]),
        (Macro, &["defmacro", "defmacrop"]),
    ],
    hidden: &["defp", "defmacrop"],
    imports: &["alias ", "import ", "require ", "use "],
    in_names: ".?!",
    ..HASH
};

const JULIA: Language = Language {
    blocks: &[("#=", "=#"), ("\"\"\"", "\"\"\"")],
    modifiers: &["mutable", "abstract", "primitive"],
    words: &[
        (Module, &["module", "baremodule"]),
        (Struct, &["struct", "type"]),
        (Function, &["function"]),
        (Macro, &["macro"]),
    ],
    imports: &["using ", "import ", "include("],
    in_names: ".!",
    ..HASH
};

const R: Language = Language {
    imports: &["library(", "require(", "source("],
    in_names: ".",
    form: Form::Assigned,
    ..HASH
};

const POWER_SHELL: Language = Language {
    blocks: &[("<#", "#>")],
    words: &[
        (Class, &["class"]),
        (Enum, &["enum"]),
        (Function, &["function", "Function", "filter"]),
    ],
    imports: &["Import-Module ", "using module ", "using namespace "],
    in_names: "-:",
    ..HASH
};

const LUA: Language = Language {
    line: &["--"],
    blocks: &[("--[[", "]]"), ("--[==[", "]==]")],
    modifiers: &["local"],
    words: &[(Function, &["function"])],
    hidden: &["local"],
    in_names: ".:",
    ..HASH
};

const HASKELL: Language = Language {
    line: &["--"],
    blocks: &[("{-", "-}")],
    words: &[
        (Module, &["module"]),
        (Struct, &["data", "newtype"]),
        (Trait, &["class"]),
        (TypeAlias, &["type"]),
    ],
    imports: &["import qualified ", "import "],
    in_names: ".'",
    form: Form::Signed,
    ..HASH
};

const OCAML: Language = Language {
    line: &[],
    blocks: &[("(*", "*)")],
    modifiers: &["rec", "nonrec"],
    words: &[
        (Module, &["module"]),
        (Class, &["class"]),
        (TypeAlias, &["type"]),
        (Function, &["let", "val", "external"]),
    ],
    imports: &["open ", "include "],
    in_names: "'",
    ..HASH
};

const ERLANG: Language = Language {
    line: &["%"],
    imports: &["-include(", "-include_lib(", "-import(", "-behaviour(", "-behavior("],
    form: Form::Clauses,
    ..HASH
};

const CLOJURE: Language = Language {
    line: &[";"],
    words: &[
        (Function, &["(defn", "(defn-", "(defmulti"]),
        (Macro, &["(defmacro"]),
        (Interface, &["(defprotocol", "(definterface"]),
        (Struct, &["(defrecord", "(deftype"]),
    ],
    hidden: &["(defn-"],
    imports: &["(:require ["],
    in_names: "-?!*+<>=/.'",
    ..HASH
};

pub(super) fn of(kind: FileKind) -> Option<&'static Language> {
    Some(match kind {
        FileKind::Cpp => &CPP,
        FileKind::CSharp => &C_SHARP,
        FileKind::Kotlin => &KOTLIN,
        FileKind::Swift => &SWIFT,
        FileKind::Scala => &SCALA,
        FileKind::Groovy => &GROOVY,
        FileKind::Dart => &DART,
        FileKind::Php => &PHP,
        FileKind::Zig => &ZIG,
        FileKind::Ruby => &RUBY,
        FileKind::Perl => &PERL,
        FileKind::Elixir => &ELIXIR,
        FileKind::Julia => &JULIA,
        FileKind::R => &R,
        FileKind::PowerShell => &POWER_SHELL,
        FileKind::Lua => &LUA,
        FileKind::Haskell => &HASKELL,
        FileKind::OCaml => &OCAML,
        FileKind::Erlang => &ERLANG,
        FileKind::Clojure => &CLOJURE,
        _ => return None,
    })
}

//! Enums whose values have names.

/// An enum each of whose values is told by a name: `enum Colour, name { Red = "red", }` has `ALL` in
/// that order, `Colour::name` and, the other way round, `Colour::named`. It is shown by its name.
#[macro_export]
macro_rules! named {
    ($(#[$about:meta])* $vis:vis enum $enum:ident, $say:ident {
        $($(#[$of:meta])* $value:ident = $name:literal,)+
    }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        $vis enum $enum { $($(#[$of])* $value,)+ }

        #[allow(dead_code, reason = "not every enum is asked everything")]
        impl $enum {
            /// All of them, in the order in which they are listed.
            $vis const ALL: [Self; [$($name),+].len()] = [$(Self::$value),+];

            /// The name as it is written and shown.
            $vis const fn $say(self) -> &'static str {
                match self { $(Self::$value => $name,)+ }
            }

            /// The one of this name.
            $vis fn named(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|value| value.$say() == name)
            }
        }

        impl ::std::fmt::Display for $enum {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(self.$say())
            }
        }
    };
}

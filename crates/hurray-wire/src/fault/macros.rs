//! The macro that turns the table of rules into [`Fault`](super::Fault).

/// One row is one rule: code, tier, variant with its fields, message, and which of its words are names that
/// [`names`](crate::names) gives to a field. The enum, its codes,
/// its tiers and its documentation all come from that row.
macro_rules! faults {
    ($($code:literal $tier:ident $name:ident $({ $($field:ident : $ty:ty),* })? $msg:literal $(, $shown:ident = $how:ident $of:ident)* ;)*) => {
        /// One broken rule of the format: one variant per rule, with what was claimed and what is there.
        ///
        /// Where two chapters list the same rule the code is the one of the more specific chapter.
        /// F-30, F-44 and F-47 stand for whole chapters and are reported by the rule that broke.
        #[derive(Debug, Clone, PartialEq, thiserror::Error)]
        #[non_exhaustive]
        pub enum Fault {
            $(
                #[doc = concat!("`", $code, "`: ", $msg)]
                #[error($msg $(, $shown = crate::names::$how(*.$of))*)]
                $name $({ $( #[allow(missing_docs)] $field: $ty ),* })?,
            )*
        }

        impl Fault {
            /// The stable code of the rule in the format's reject checklists, such as `"F-11"`.
            pub fn code(&self) -> &'static str {
                match self { $( Self::$name { .. } => $code, )* }
            }

            /// Which tier of checks the rule belongs to.
            pub fn tier(&self) -> Tier {
                match self { $( Self::$name { .. } => Tier::$tier, )* }
            }
        }

        /// The code of every row, in the table's order, with repeats.
        pub(super) const ROWS: [&str; [$($code),*].len()] = [$($code),*];
    };
}

pub(crate) use faults;

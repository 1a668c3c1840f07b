#![doc = include_str!("../README.md")]
#![no_std]
#![allow(unsafe_code)] // Assembler, which is all that this crate is.

#[cfg(soft_single)]
core::arch::global_asm!(
    include_str!("single/normalise.s"),
    include_str!("single/add.s"),
    include_str!("single/multiply.s"),
    include_str!("single/divide.s"),
    include_str!("single/root.s"),
    include_str!("single/compare.s"),
    include_str!("single/convert.s"),
    ".text",
    options(raw)
);

#[cfg(soft_double)]
core::arch::global_asm!(
    #[cfg(soft_long)]
    include_str!("double/words_long.s"),
    #[cfg(not(soft_long))]
    include_str!("double/words.s"),
    include_str!("double/normalise.s"),
    include_str!("double/add.s"),
    include_str!("double/multiply.s"),
    include_str!("double/divide.s"),
    include_str!("double/compare.s"),
    ".text",
    options(raw)
);

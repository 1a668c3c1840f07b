//! What an instruction does, as far as its time depends on that: the classes in which Arm's manuals list cycles.

/// A class of instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// One register's worth of arithmetic, a comparison, a move, a hint.
    Simple,
    /// Floating point of one cycle: a sum, a product, a comparison.
    Float,
    /// System registers and barriers.
    Special,
    /// A load of one register.
    Load,
    /// A store of one register at a fixed offset.
    Store,
    /// A store of one register at an offset in another.
    StoreIndexed,
    /// A store of one floating point register.
    FloatStore,
    /// A load of so many words.
    LoadMany(u32),
    /// A store of so many words.
    StoreMany(u32),
    /// A product of 32 bits.
    Multiply,
    /// The same with a sum.
    MultiplyAdd,
    /// A product of 64 bits.
    MultiplyLong,
    /// The same with a sum.
    MultiplyLongAdd,
    /// An integer quotient.
    Divide,
    /// A move between two core registers and the floating point unit.
    FloatPair,
    /// A floating point product with a sum.
    FloatMultiplyAdd,
    /// A floating point quotient.
    FloatDivide,
    /// A floating point square root.
    FloatRoot,
}

/// The class of an instruction of two bytes.
pub fn narrow(code: u32) -> Class {
    let words = (code & 0xff).count_ones();
    match code >> 11 {
        // LDR literal.
        0b01001 => Class::Load,
        // Register offsets: STR, STRH, STRB, and five loads.
        0b01010 | 0b01011 if code >> 9 & 7 <= 2 => Class::StoreIndexed,
        0b01010 | 0b01011 => Class::Load,
        // Immediate offsets of words, bytes and halfwords, and from sp: stores at even places, loads at odd ones.
        0b01100 | 0b01110 | 0b10000 | 0b10010 => Class::Store,
        0b01101 | 0b01111 | 0b10001 | 0b10011 => Class::Load,
        // STM, LDM.
        0b11000 => Class::StoreMany(words),
        0b11001 => Class::LoadMany(words),
        _ => match code {
            // PUSH and POP, with lr and pc.
            _ if code & 0xfe00 == 0xb400 => Class::StoreMany(words + (code >> 8 & 1)),
            _ if code & 0xfe00 == 0xbc00 => Class::LoadMany(words + (code >> 8 & 1)),
            _ if code & 0xffc0 == 0x4340 => Class::Multiply,
            _ => Class::Simple,
        },
    }
}

/// The class of an instruction of four bytes.
pub fn wide(first: u32, second: u32) -> Class {
    let loads = first & 0x10 != 0;
    let many = |words: u32| match loads {
        true => Class::LoadMany(words),
        false => Class::StoreMany(words),
    };
    match first {
        // Coprocessors 10 and 11 are the floating point unit.
        _ if first & 0xec00 == 0xec00 && second & 0x0e00 == 0x0a00 => float(first, second),
        // TBB and TBH load; other pairs; LDM and STM.
        _ if first & 0xfff0 == 0xe8d0 && second & 0xffe0 == 0xf000 => Class::Load,
        _ if first & 0xfe40 == 0xe840 => many(2),
        _ if first & 0xfe40 == 0xe800 => many(second.count_ones()),
        _ if first & 0xfe00 == 0xf800 => match loads {
            true => Class::Load,
            false if first & 0x80 == 0 && second & 0x0fc0 == 0 => Class::StoreIndexed,
            false => Class::Store,
        },
        _ if first & 0xff80 == 0xfb00 && second >> 12 == 0xf => Class::Multiply,
        _ if first & 0xff80 == 0xfb00 => Class::MultiplyAdd,
        _ if first & 0xff80 == 0xfb80 => match first >> 4 & 7 {
            1 | 3 => Class::Divide,
            0 | 2 => Class::MultiplyLong,
            _ => Class::MultiplyLongAdd,
        },
        // MSR, MRS, barriers.
        _ if second & 0xd000 == 0x8000 && [0xf380, 0xf3a0, 0xf3e0].contains(&(first & 0xffe0)) => {
            Class::Special
        }
        _ => Class::Simple,
    }
}

fn float(first: u32, second: u32) -> Class {
    let double = second & 0x100 != 0;
    match first {
        // VMOV between two core registers and one or two of the unit's.
        _ if first & 0xffe0 == 0xec40 => Class::FloatPair,
        // VLDR and VSTR: an offset without write-back.
        _ if first & 0xff20 == 0xed00 => match (first & 0x10 != 0, double) {
            (true, false) => Class::Load,
            (true, true) => Class::LoadMany(2),
            (false, false) => Class::FloatStore,
            (false, true) => Class::StoreMany(2),
        },
        // VLDM, VPOP, VSTM, VPUSH.
        _ if first & 0xfe00 == 0xec00 && first & 0x10 != 0 => Class::LoadMany(second & 0xff),
        _ if first & 0xfe00 == 0xec00 => Class::StoreMany(second & 0xff),
        // Arithmetic; moves of one register have bit 4.
        _ if first & 0xff00 == 0xee00 && second & 0x10 == 0 => match first >> 4 & 0xb {
            0 | 1 | 9 | 10 => Class::FloatMultiplyAdd,
            8 => Class::FloatDivide,
            11 if first & 0xf == 1 && second & 0xc0 == 0xc0 => Class::FloatRoot,
            _ => Class::Float,
        },
        _ => Class::Simple,
    }
}

/// The address that an instruction reads a constant from, if it lies among the code.
pub fn literal(address: u32, first: u32, second: u32) -> Option<u32> {
    let base = address.wrapping_add(4) & !3;
    let up = |offset: u32, up: bool| match up {
        true => base.wrapping_add(offset),
        false => base.wrapping_sub(offset),
    };
    match first {
        _ if first & 0xf800 == 0x4800 => Some(up(4 * (first & 0xff), true)),
        // LDR.W and the like, VLDR.
        _ if first & 0xff1f == 0xf81f && first & 0x10 != 0 => {
            Some(up(second & 0xfff, first & 0x80 != 0))
        }
        _ if first & 0xff3f == 0xed1f && second & 0x0e00 == 0x0a00 => {
            Some(up(4 * (second & 0xff), first & 0x80 != 0))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Encodings and what a disassembler says of them.
    #[test]
    fn narrow_instructions_have_their_classes() {
        // ldr r0, [pc, #8]; str r0, [r1, r2]; ldrsh r0, [r1, r2]; str r0, [sp, #4]; ldr r0, [sp, #4]; muls r0, r1, r0.
        assert_eq!(narrow(0x4802), Class::Load);
        assert_eq!(narrow(0x5088), Class::StoreIndexed);
        assert_eq!(narrow(0x5e88), Class::Load);
        assert_eq!(narrow(0x9001), Class::Store);
        assert_eq!(narrow(0x9801), Class::Load);
        assert_eq!(narrow(0x4348), Class::Multiply);
        // push {r4, r5, r6, r7, lr}; pop {r4, r5, r6, r7, pc}; stmia r0!, {r1, r2}; adds r0, r0, r1.
        assert_eq!(narrow(0xb5f0), Class::StoreMany(5));
        assert_eq!(narrow(0xbdf0), Class::LoadMany(5));
        assert_eq!(narrow(0xc006), Class::StoreMany(2));
        assert_eq!(narrow(0x1840), Class::Simple);
    }

    #[test]
    fn wide_instructions_have_their_classes() {
        // umull r0, r1, r2, r3; umlal; udiv; mul; mla.
        assert_eq!(wide(0xfba2, 0x0103), Class::MultiplyLong);
        assert_eq!(wide(0xfbe2, 0x0103), Class::MultiplyLongAdd);
        assert_eq!(wide(0xfbb1, 0xf0f2), Class::Divide);
        assert_eq!(wide(0xfb01, 0xf002), Class::Multiply);
        assert_eq!(wide(0xfb01, 0x3002), Class::MultiplyAdd);
        // ldr.w r0, [r1, #100]; str.w r0, [r1, r2, lsl #2]; ldrd r0, r1, [sp]; ldmia.w r0, {r1, r2, r3}; mrs r0, PRIMASK.
        assert_eq!(wide(0xf8d1, 0x0064), Class::Load);
        assert_eq!(wide(0xf841, 0x0022), Class::StoreIndexed);
        assert_eq!(wide(0xe9dd, 0x0100), Class::LoadMany(2));
        assert_eq!(wide(0xe890, 0x000e), Class::LoadMany(3));
        assert_eq!(wide(0xf3ef, 0x8010), Class::Special);
        // bl: no more than where it goes.
        assert_eq!(wide(0xf000, 0xf845), Class::Simple);
    }

    #[test]
    fn floating_point_has_its_classes() {
        // vldr s0, [r0]; vstr s0, [r0]; vldr d0, [r0]; vpush {d8-d15}; vldmia r0, {s0-s3}; vmov r0, r1, d0.
        assert_eq!(wide(0xed90, 0x0a00), Class::Load);
        assert_eq!(wide(0xed80, 0x0a00), Class::FloatStore);
        assert_eq!(wide(0xed90, 0x0b00), Class::LoadMany(2));
        assert_eq!(wide(0xed2d, 0x8b10), Class::StoreMany(16));
        assert_eq!(wide(0xec90, 0x0a04), Class::LoadMany(4));
        assert_eq!(wide(0xec51, 0x0b10), Class::FloatPair);
        // vmla.f32 s0, s1, s2; vfma.f32; vmul.f32; vadd.f32; vdiv.f32; vsqrt.f32 s0, s1; vneg.f32; vmov r0, s0; vmrs.
        assert_eq!(wide(0xee00, 0x0a81), Class::FloatMultiplyAdd);
        assert_eq!(wide(0xeea0, 0x0a81), Class::FloatMultiplyAdd);
        assert_eq!(wide(0xee20, 0x0a81), Class::Float);
        assert_eq!(wide(0xee30, 0x0a81), Class::Float);
        assert_eq!(wide(0xee80, 0x0a81), Class::FloatDivide);
        assert_eq!(wide(0xeeb1, 0x0ae0), Class::FloatRoot);
        assert_eq!(wide(0xeeb1, 0x0a60), Class::Float);
        assert_eq!(wide(0xee10, 0x0a10), Class::Simple);
        assert_eq!(wide(0xeef1, 0xfa10), Class::Simple);
    }

    /// ldr r0, [pc, #8] at 0x102; vldr s0, [pc, #232]; ldr.w r0, [pc, #-4].
    #[test]
    fn constants_among_the_code_are_found() {
        assert_eq!(literal(0x102, 0x4802, 0), Some(0x10c));
        assert_eq!(literal(0x13e8, 0xed9f, 0x0a3a), Some(0x14d4));
        assert_eq!(literal(0x200, 0xf85f, 0x0004), Some(0x200));
        assert_eq!(literal(0x200, 0xf8d1, 0x0004), None);
    }
}

//! Where a Thumb instruction goes, and what it takes of the stack: the part of Arm's encoding (ARMv7-M Architecture Reference Manual,
//! chapters A5 to A7) that a control-flow graph is made of. Its [`Class`] is what its time depends on.

use super::class::{self, Class};

/// Where control goes after an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// To the next.
    Next,
    /// Elsewhere.
    Jump(u32),
    /// Elsewhere or to the next.
    Branch(u32),
    /// To a function and back.
    Call(u32),
    /// Back to the caller.
    Return,
    /// Nowhere: an instruction that is there to trap.
    Trap,
    /// To a function whose address is in a register, and back.
    CallThrough,
    /// Through a register or a table.
    Indirect,
}

/// What matters of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// Bytes.
    pub size: u32,
    /// Where control goes if the instruction is carried out.
    pub flow: Flow,
    /// Bytes by which the stack grows.
    pub grows: u32,
    /// The instructions after this one that are carried out or not: an IT block.
    pub conditional: u32,
    /// What it does.
    pub class: Class,
    /// The address of the constant among the code that it reads.
    pub literal: Option<u32>,
}

impl Instruction {
    /// Whether it was put off if a log of executed instructions has it twice in a row: an instruction at which the emulator's own
    /// timers are due is logged, put off, and logged again. A jump to itself is there as often as it is carried out.
    pub fn put_off(&self, now: u32, next: Option<u32>) -> bool {
        next == Some(now) && ![Flow::Jump(now), Flow::Branch(now)].contains(&self.flow)
    }
}

/// Decodes the instruction at an address from its first two halfwords.
pub fn decode(address: u32, first: u16, second: u16) -> Instruction {
    let first = u32::from(first);
    if first >> 11 >= 0b11101 {
        wide(address, first, u32::from(second))
    } else {
        narrow(address, first)
    }
}

/// Branches count from here.
fn origin(address: u32) -> u32 {
    address.wrapping_add(4)
}

/// The lowest `bits` of a value as a signed number.
fn signed(value: u32, bits: u32) -> u32 {
    (((value << (32 - bits)) as i32) >> (32 - bits)) as u32
}

fn narrow(address: u32, code: u32) -> Instruction {
    let near = |offset: u32| origin(address).wrapping_add(offset);
    let flow = match code {
        // B<c>, but for the codes of UDF and SVC.
        _ if code & 0xf000 == 0xd000 && code & 0x0f00 < 0x0e00 => {
            Flow::Branch(near(signed(code, 8) << 1))
        }
        _ if code & 0xff00 == 0xde00 => Flow::Trap,
        _ if code & 0xf800 == 0xe000 => Flow::Jump(near(signed(code, 11) << 1)),
        // CBZ, CBNZ.
        _ if code & 0xf500 == 0xb100 => Flow::Branch(near((code >> 3 & 0x40) | (code >> 2 & 0x3e))),
        // BX lr; POP {..., pc}.
        0x4770 => Flow::Return,
        _ if code & 0xff00 == 0xbd00 => Flow::Return,
        // BLX.
        _ if code & 0xff87 == 0x4780 => Flow::CallThrough,
        // BX of other registers; MOV and ADD to pc.
        _ if code & 0xff00 == 0x4700 || [0x4487, 0x4687].contains(&(code & 0xff87)) => {
            Flow::Indirect
        }
        _ => Flow::Next,
    };
    let grows = match code {
        // PUSH, and lr with it.
        _ if code & 0xfe00 == 0xb400 => 4 * (code & 0x1ff).count_ones(),
        // SUB sp, #n.
        _ if code & 0xff80 == 0xb080 => 4 * (code & 0x7f),
        _ => 0,
    };
    let conditional = match code {
        // IT: the lowest set bit of its mask says how many follow.
        _ if code & 0xff00 == 0xbf00 && code & 0xf != 0 => 4 - (code & 0xf).trailing_zeros(),
        _ => 0,
    };
    Instruction {
        size: 2,
        flow,
        grows,
        conditional,
        class: class::narrow(code),
        literal: class::literal(address, code, 0),
    }
}

fn wide(address: u32, first: u32, second: u32) -> Instruction {
    Instruction {
        size: 4,
        flow: wide_flow(address, first, second),
        grows: wide_grows(first, second),
        conditional: 0,
        class: class::wide(first, second),
        literal: class::literal(address, first, second),
    }
}

fn wide_flow(address: u32, first: u32, second: u32) -> Flow {
    let branches = first & 0xf800 == 0xf000 && second & 0x8000 != 0;
    if branches {
        return match second & 0xd000 {
            // BL and B.W, with 25 bits of offset.
            0xd000 => Flow::Call(far(address, first, second)),
            0x9000 => Flow::Jump(far(address, first, second)),
            // B<c>.W; what would be its conditions 14 and 15 are barriers, hints and UDF.W.
            0x8000 if first & 0x0380 != 0x0380 => {
                let (s, j2, j1) = (first >> 10 & 1, second >> 11 & 1, second >> 13 & 1);
                let bits =
                    s << 20 | j2 << 19 | j1 << 18 | (first & 0x3f) << 12 | (second & 0x7ff) << 1;
                Flow::Branch(origin(address).wrapping_add(signed(bits, 21)))
            }
            _ if first & 0xfff0 == 0xf7f0 && second & 0xf000 == 0xa000 => Flow::Trap,
            _ => Flow::Next,
        };
    }
    let into_pc = second & 0x8000 != 0;
    match first {
        // LDMIA sp!, {..., pc}.
        0xe8bd if into_pc => Flow::Return,
        // LDR pc, [sp], #4.
        0xf85d if second == 0xfb04 => Flow::Return,
        // Other loads of several registers, pc among them; LDR to pc; TBB and TBH.
        _ if matches!(first & 0xffd0, 0xe890 | 0xe910) && into_pc => Flow::Indirect,
        _ if first & 0xff70 == 0xf850 && second & 0xf000 == 0xf000 => Flow::Indirect,
        _ if first & 0xfff0 == 0xe8d0 && second & 0xffe0 == 0xf000 => Flow::Indirect,
        _ => Flow::Next,
    }
}

/// The target of BL and B.W.
fn far(address: u32, first: u32, second: u32) -> u32 {
    let s = first >> 10 & 1;
    let i1 = !(second >> 13 ^ s) & 1;
    let i2 = !(second >> 11 ^ s) & 1;
    let bits = s << 24 | i1 << 23 | i2 << 22 | (first & 0x3ff) << 12 | (second & 0x7ff) << 1;
    origin(address).wrapping_add(signed(bits, 25))
}

fn wide_grows(first: u32, second: u32) -> u32 {
    match first {
        // STMDB sp!.
        0xe92d => 4 * second.count_ones(),
        // VPUSH, of single or double registers.
        0xed2d | 0xed6d if second & 0x0e00 == 0x0a00 => 4 * (second & 0xff),
        // STR, [sp, #-n]!.
        0xf84d if second & 0x0f00 == 0x0d00 => second & 0xff,
        // SUB.W sp, sp, #modified immediate, and SUBW.
        0xf1ad | 0xf5ad if second & 0x8f00 == 0x0d00 => expanded(first, second),
        0xf2ad | 0xf6ad if second & 0x8f00 == 0x0d00 => field(first, second),
        _ => 0,
    }
}

/// The 12 bits i:imm3:imm8.
fn field(first: u32, second: u32) -> u32 {
    (first >> 10 & 1) << 11 | (second >> 12 & 7) << 8 | (second & 0xff)
}

/// A modified immediate: a byte, repeated or rotated.
fn expanded(first: u32, second: u32) -> u32 {
    let (field, byte) = (field(first, second), second & 0xff);
    match field >> 8 {
        0 => byte,
        1 => byte | byte << 16,
        2 => byte << 8 | byte << 24,
        3 => byte * 0x0101_0101,
        _ => (0x80 | field & 0x7f).rotate_right(field >> 7),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flow(address: u32, first: u16, second: u16) -> Flow {
        decode(address, first, second).flow
    }

    /// Encodings and what a disassembler says of them.
    #[test]
    fn instructions_go_where_they_say() {
        assert_eq!(flow(0x13e6, 0xd842, 0), Flow::Branch(0x146e));
        assert_eq!(flow(0x1490, 0xd0cc, 0), Flow::Branch(0x142c));
        assert_eq!(flow(0x146c, 0xe025, 0), Flow::Jump(0x14ba));
        assert_eq!(flow(0x1ce2, 0xe55b, 0), Flow::Jump(0x179c));
        assert_eq!(flow(0x1476, 0xf000, 0xf845), Flow::Call(0x1504));
        assert_eq!(flow(0x182c, 0xf7ff, 0xfef4), Flow::Call(0x1618));
        assert_eq!(flow(0x184e, 0xf340, 0x823e), Flow::Branch(0x1cce));
        assert_eq!(flow(0x2334, 0xf47f, 0xae89), Flow::Branch(0x204a));
        assert_eq!(flow(0x29f8, 0xf7fe, 0xbed0), Flow::Jump(0x179c));
        assert_eq!(flow(0x2a6c, 0xb176, 0), Flow::Branch(0x2a8c));
        assert_eq!(flow(0x14d0, 0x4770, 0), Flow::Return);
        assert_eq!(flow(0x17b6, 0xbdf0, 0), Flow::Return);
        assert_eq!(flow(0, 0xe8bd, 0x8ff0), Flow::Return);
        // Without pc in its list it only restores registers.
        assert_eq!(flow(0x1486, 0xe8bd, 0x4080), Flow::Next);
        assert_eq!(flow(0, 0xe8df, 0xf000), Flow::Indirect);
        assert_eq!(flow(0, 0x4798, 0), Flow::CallThrough);
        assert_eq!(flow(0, 0x4718, 0), Flow::Indirect);
        assert_eq!(flow(0, 0xde01, 0), Flow::Trap);
        // vldr s0, [pc, #232]; vmla.f32 s4, s2, s0.
        assert_eq!(flow(0x13e8, 0xed9f, 0x0a3a), Flow::Next);
        assert_eq!(flow(0x13f0, 0xee01, 0x2a00), Flow::Next);
    }

    #[test]
    fn frames_are_seen() {
        let grows = |first, second| decode(0, first, second).grows;
        // push {r4, r5, r6, r7, lr}; sub sp, #4; stmdb sp!, {r8, r9, sl, fp}; vpush {d8-d15}; sub.w sp, sp, #560.
        let frame = [
            (0xb5f0, 0),
            (0xb081, 0),
            (0xe92d, 0x0f00),
            (0xed2d, 0x8b10),
            (0xf5ad, 0x7d0c),
        ];
        assert_eq!(
            frame.map(|(first, second)| grows(first, second)),
            [20, 4, 16, 64, 560]
        );
        // itte: three instructions.
        assert_eq!(decode(0, 0xbf1a, 0).conditional, 3);
    }
}

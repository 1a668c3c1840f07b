//! Seeds.

/// A seed of one campaign: the same number means other draws in each.
pub fn mixed(name: &str, seed: u64) -> u64 {
    let name = name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    // The finaliser of splitmix64, so that neighbouring seeds have nothing in common.
    let mut x = name ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

//! How modes are numbered: by what every device does, a digit a device.

use super::super::network::{Digit, Network};
use super::Keys;

/// In how many ways a device can conduct or not; of a bridge leg the lower device stands for both.
fn radix<const S: usize>(network: &Network<'_, S>) -> impl Iterator<Item = u16> {
    network.devices().map(|device| match device.leg {
        1 => 1,
        2 if device.gate.is_some() => 5,
        2 => 3,
        _ => 1 + u16::from(device.diode) + u16::from(device.gate.is_some()),
    })
}

pub(super) fn mode_count<const S: usize>(network: &Network<'_, S>) -> usize {
    let product = |sum: usize, radix: u16| sum.saturating_mul(usize::from(radix));
    radix(network).fold(1, product)
}

pub(super) fn keys<const S: usize, const Y: usize>(network: &Network<'_, S>) -> Keys<Y> {
    let mut keys = Keys {
        weight: [[0; 2]; Y],
        gate: [0; Y],
        partner: [0; Y],
        opposite: [0; Y],
    };
    let mut weight = 1_u16;
    for (k, (device, radix)) in network.devices().zip(radix(network)).enumerate().take(Y) {
        keys.gate[k] = device.gate.map_or(0, |gate| 1 << gate);
        // In a leg 1 and 2 are the diodes, 3 and 4 the channels.
        let diode = u16::from(device.leg.max(1));
        let channel = diode
            + if device.leg > 0 {
                2
            } else {
                u16::from(device.diode)
            };
        keys.weight[k] = [diode.wrapping_mul(weight), channel.wrapping_mul(weight)];
        if device.leg == 2 && k > 0 {
            (keys.partner[k], keys.partner[k - 1]) = (1 << (k - 1), 1 << k);
            (keys.opposite[k], keys.opposite[k - 1]) = (keys.gate[k - 1], keys.gate[k]);
        }
        weight = weight.wrapping_mul(radix);
    }
    keys
}

/// What every device does in a mode.
pub(super) fn digits<const S: usize>(network: &Network<'_, S>, index: usize) -> [Digit; S] {
    let mut digits = [Digit::Off; S];
    let mut rest = index;
    for (k, (device, radix)) in network.devices().zip(radix(network)).enumerate() {
        let digit = rest % usize::from(radix);
        rest /= usize::from(radix);
        if device.leg == 2 && k > 0 {
            let conducting = if digit > 2 {
                Digit::Channel
            } else {
                Digit::Diode
            };
            match digit {
                1 | 3 => digits[k - 1] = conducting,
                2 | 4 => digits[k] = conducting,
                _ => {}
            }
        } else if device.leg == 0 {
            digits[k] = match digit {
                0 => Digit::Off,
                1 if device.diode => Digit::Diode,
                _ => Digit::Channel,
            };
        }
    }
    digits
}

//! Zeros of the Jacobian that a model declares.

use crate::Error;
use crate::linear::{Known, Shape, Zeros};
use crate::model::{FirstOrder, MassMatrix, Vector};
use crate::number::{Dual, Scalar};
use core::marker::PhantomData;

/// The zeros of a model's iteration matrices.
pub(super) struct ZerosOf<R, M, const N: usize, const U: usize>(PhantomData<(R, M)>);

impl<R, M: FirstOrder<R, N, U>, const N: usize, const U: usize> ZerosOf<R, M, N, U> {
    const ZEROS: Zeros<N> = Zeros::of(M::DEPENDS);
}

impl<R, M: FirstOrder<R, N, U>, const N: usize, const U: usize> Shape<N> for ZerosOf<R, M, N, U> {
    /// Affine models factor once; a mass may vanish on the diagonal, or fill what is zero in the Jacobian.
    const KNOWN: Known<N> = if Self::ZEROS.some && M::Mass::UNIT && !M::AFFINE {
        Some(&Self::ZEROS)
    } else {
        None
    };
}

/// Whether the right-hand side depends on what the model says, as far as its derivatives at one point tell.
pub(super) fn checked_zeros<R, M: FirstOrder<R, N, U>, const N: usize, const U: usize>(
    model: &M,
    t: R,
    x: &Vector<R, N>,
    u: &Vector<R, U>,
) -> Result<(), Error> {
    let Some(zeros) = ZerosOf::<R, M, N, U>::KNOWN else {
        return Ok(());
    };
    for column in 0..N {
        let mut state = x.data.0[0].map(Dual::<R, 1>::constant);
        state[column] = Dual::variable(x.data.0[0][column], 0);
        let f = model.rhs(Dual::constant(t), &Vector::from(state), u);
        for index in 0..N {
            let slope = f.data.0[0][index].slope()[0];
            if !zeros.given(index, column) && slope != R::ZERO {
                return Err(Error::Touched { index });
            }
        }
    }
    Ok(())
}

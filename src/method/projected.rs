//! Projected methods, after Schropp.

/// A method followed by a projection of every step's result onto the manifold of the constraints.
///
/// For a stiffly accurate method the position is there already and the velocity is projected, Schropp's (2.8): onto
/// `g_t + G v = 0` for rigid joints; for elastic ones onto `g_t + G v = C lambda'`, because a stretching spring has a
/// velocity. Other methods on rigid joints get both projected, his (2.7). Velocity and position then converge with the
/// method's full order. A spring that the step resolves, up to an `h omega` of 3 with two stages, 5 with three and 10 with
/// five, is left as it is: a projection would feed its ringing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Projected<K>(pub K);

/// A method taken as it is, even if it leaves the constraints of a rigid model: for experiments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Direct<K>(pub K);

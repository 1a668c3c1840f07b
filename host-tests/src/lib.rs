//! The desk side of stiffstep.

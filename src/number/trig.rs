//! placeholder
/// s
pub fn sin(x: f32) -> f32 {
    libm::sinf(x)
}
/// c
pub fn cos(x: f32) -> f32 {
    libm::cosf(x)
}
/// sc
pub fn sin_cos(x: f32) -> (f32, f32) {
    (libm::sinf(x), libm::cosf(x))
}

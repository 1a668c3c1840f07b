@ Comparisons of two f32: 1 in r0 if it holds, else 0. Nothing holds of a NaN but that it is unordered; -0 equals 0.
@
@ In: r0, r1. Changes r1 to r3 and the flags.

    .section .text.stiffstep_softfloat.single_compare, "ax", %progbits
    .syntax unified
    .thumb
    .balign 4

@ \a < \b, or \a <= \b: \not is the condition, of magnitudes, in which it does not hold; \zeros is the answer for zeros.
    .macro COMPARE name, a, b, not, zeros
    .global \name
    .type \name, %function
    .thumb_func
\name:
    movs  r2, \a
    orrs  r2, \b
    bmi   .Lnegative_\@
    cmp   \a, \b
    \not  .Lno_\@
    movs  r2, #255                  @ b is not below a, so that only b need be asked whether it is a NaN
    lsls  r2, r2, #23
    cmp   \b, r2
    bhi   .Lno_\@
.Lyes_\@:
    movs  r0, #1
    bx    lr
.Lno_\@:
    movs  r0, #0
    bx    lr
.Lnegative_\@:
    movs  r2, \a
    ands  r2, \b
    bpl   .Ldifferent_\@
    cmp   \b, \a                    @ both are negative: the larger magnitude is below
    \not  .Lno_\@
    lsls  r2, \a, #1
    b     .Lordered_\@
.Ldifferent_\@:
    lsls  r2, \a, #1
    lsls  r3, \b, #1
    orrs  r3, r2
    beq   .Lzeros_\@
    cmp   \a, #0
    bpl   .Lno_\@                   @ b is negative, or a NaN
    lsls  r3, \b, #1
    cmp   r2, r3                    @ a is negative: only a NaN could make it false, which is the larger one
    bhs   .Lordered_\@
    movs  r2, r3
.Lordered_\@:
    movs  r3, #255
    lsls  r3, r3, #24
    cmp   r2, r3
    bls   .Lyes_\@
    b     .Lno_\@
.Lzeros_\@:
    movs  r0, #\zeros
    bx    lr
    .size \name, . - \name
    .endm

    COMPARE __aeabi_fcmplt, r0, r1, bhs, 0
    COMPARE __aeabi_fcmple, r0, r1, bhi, 1
    COMPARE __aeabi_fcmpgt, r1, r0, bhs, 0
    COMPARE __aeabi_fcmpge, r1, r0, bhi, 1

    .global __aeabi_fcmpeq
    .type __aeabi_fcmpeq, %function
    .thumb_func
__aeabi_fcmpeq:
    cmp   r0, r1
    bne   1f
    movs  r2, #255
    lsls  r2, r2, #24
    lsls  r0, r0, #1
    cmp   r0, r2
    bhi   2f
    movs  r0, #1
    bx    lr
1:  orrs  r0, r1                    @ different bits are equal only if both are zero
    lsls  r0, r0, #1
    beq   3f
2:  movs  r0, #0
    bx    lr
3:  movs  r0, #1
    bx    lr

    .global __aeabi_fcmpun
    .type __aeabi_fcmpun, %function
    .thumb_func
__aeabi_fcmpun:
    movs  r2, #255
    lsls  r2, r2, #24
    lsls  r0, r0, #1
    cmp   r0, r2
    bhi   1f
    lsls  r1, r1, #1
    cmp   r1, r2
    bhi   1f
    movs  r0, #0
    bx    lr
1:  movs  r0, #1
    bx    lr

    .size __aeabi_fcmpeq, . - __aeabi_fcmpeq
    .size __aeabi_fcmpun, . - __aeabi_fcmpun

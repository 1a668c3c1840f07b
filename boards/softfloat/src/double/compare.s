@ Comparisons of two f64: 1 in r0 if it holds, else 0. Nothing holds of a NaN but that it is unordered; -0 equals 0.
@
@ In: r1, r0 and r3, r2, the upper word first. Changes r1 to r3, r12 and the flags.

    .section .text.stiffstep_softfloat.double_compare, "ax", %progbits
    .syntax unified
    .thumb
    .balign 4

@ \ah, \al < \bh, \bl, or not more: \not is the condition, of magnitudes, in which it does not hold; \zeros is the answer for zeros.
    .macro DOUBLE_COMPARE name, ah, al, bh, bl, not, zeros
    .global \name
    .type \name, %function
    .thumb_func
\name:
    orrs  r12, \ah, \bh
    bmi   .Ldouble_negative_\@
    cmp   \ah, \bh
    it    eq
    cmpeq \al, \bl
    \not  .Ldouble_no_\@
    lsl   r12, \bh, #1              @ b is not below a, so that only b need be asked whether it is a NaN
    mov   r3, \bl
    cmn   r12, #0x200000
    bcs   .Ldouble_ordered_\@
.Ldouble_yes_\@:
    movs  r0, #1
    bx    lr
.Ldouble_ordered_\@:                @ r12, r3: the larger magnitude, whose exponent is the largest
    orrs  r12, r3, r12, lsl #11
    beq   .Ldouble_yes_\@           @ infinite
.Ldouble_no_\@:
    movs  r0, #0
    bx    lr
.Ldouble_negative_\@:
    ands  r12, \ah, \bh
    bpl   .Ldouble_different_\@
    cmp   \bh, \ah                  @ both are negative: the larger magnitude is below
    it    eq
    cmpeq \bl, \al
    \not  .Ldouble_no_\@
    lsl   r12, \ah, #1
    mov   r3, \al
    cmn   r12, #0x200000
    bcc   .Ldouble_yes_\@
    b     .Ldouble_ordered_\@
.Ldouble_different_\@:
    orr   r12, \ah, \bh
    lsl   r12, r12, #1
    orr   r12, r12, \al
    orrs  r12, r12, \bl
    beq   .Ldouble_zeros_\@
    cmp   \ah, #0
    bpl   .Ldouble_no_\@            @ b is negative, or a NaN
    lsl   r12, \ah, #1              @ a is negative: only a NaN could make it false
    cmn   r12, #0x200000
    bcs   .Ldouble_a_large_\@
.Ldouble_b_\@:
    lsl   r12, \bh, #1
    cmn   r12, #0x200000
    bcc   .Ldouble_yes_\@
    mov   r3, \bl
    b     .Ldouble_ordered_\@
.Ldouble_a_large_\@:
    orrs  r12, \al, r12, lsl #11
    beq   .Ldouble_b_\@
    b     .Ldouble_no_\@
.Ldouble_zeros_\@:
    movs  r0, #\zeros
    bx    lr
    .size \name, . - \name
    .endm

    DOUBLE_COMPARE __aeabi_dcmplt, r1, r0, r3, r2, bhs, 0
    DOUBLE_COMPARE __aeabi_dcmple, r1, r0, r3, r2, bhi, 1
    DOUBLE_COMPARE __aeabi_dcmpgt, r3, r2, r1, r0, bhs, 0
    DOUBLE_COMPARE __aeabi_dcmpge, r3, r2, r1, r0, bhi, 1

    .global __aeabi_dcmpeq
    .type __aeabi_dcmpeq, %function
    .thumb_func
__aeabi_dcmpeq:
    cmp   r0, r2
    it    eq
    cmpeq r1, r3
    bne   1f
    lsl   r12, r1, #1
    cmn   r12, #0x200000
    bcs   3f
2:  movs  r0, #1
    bx    lr
1:  orr   r12, r1, r3               @ different bits are equal only if both are zero
    orr   r0, r0, r2
    orrs  r0, r0, r12, lsl #1
    beq   2b
    movs  r0, #0
    bx    lr
3:  orrs  r0, r0, r12, lsl #11      @ infinite or a NaN
    beq   2b
    movs  r0, #0
    bx    lr

    .global __aeabi_dcmpun
    .type __aeabi_dcmpun, %function
    .thumb_func
__aeabi_dcmpun:
    lsl   r12, r1, #1
    cmn   r12, #0x200000
    bcs   1f
2:  lsl   r12, r3, #1
    cmn   r12, #0x200000
    bcs   3f
    movs  r0, #0
    bx    lr
1:  orrs  r0, r0, r12, lsl #11
    beq   2b
    movs  r0, #1
    bx    lr
3:  orrs  r0, r2, r12, lsl #11
    it    ne
    movne r0, #1
    bx    lr

    .size __aeabi_dcmpeq, . - __aeabi_dcmpeq
    .size __aeabi_dcmpun, . - __aeabi_dcmpun

@ Product of two f64, rounded to nearest, ties to even.
@
@ In: r1, r0 = a and r3, r2 = b, the upper word first. Out: r1, r0. Changes r2, r3, r12 and the flags.

    .section .text.stiffstep_softfloat.double_multiply, "ax", %progbits
    .syntax unified
    .thumb
    .balign 4

@ r1, r0 and r3, r2: operands, of which only the fractions count. Then lr, r6, r12, r5: the product of their significands, from the
@ top down, the leading bit in bit 19 or 20 of lr: a's significand is shifted up by 11 places before.
    .macro DOUBLE_SIGNIFICANDS
    lsl   r1, r1, #11
    orr   r1, r1, r0, lsr #21
    lsl   r0, r0, #11
    orr   r1, r1, #0x80000000
    bfc   r3, #20, #12
    orr   r3, r3, #0x100000
    MULTIPLY_WORDS
    .endm

@ Ends the routine: rounds r1, r6 by the bits below in r12 and r5.
    .macro DOUBLE_ROUND_PRODUCT
    lsls  r12, r12, #1              @ carry = the first bit that is dropped
    beq   .Lproduct_rest\@
.Lproduct_round\@:
    adcs  r0, r6, #0
    adc   r1, r1, #0
    pop   {r4, r5, r6, pc}
.Lproduct_rest\@:
    cbnz  r5, .Lproduct_not_a_tie\@
    mov   r0, r6
    bcc   .Lproduct_exact\@
    adcs  r0, r6, #0
    adc   r1, r1, #0
    bic   r0, r0, #1
.Lproduct_exact\@:
    pop   {r4, r5, r6, pc}
.Lproduct_not_a_tie\@:
    b     .Lproduct_round\@
    .endm

    .global __aeabi_dmul
    .type __aeabi_dmul, %function
    .thumb_func
__aeabi_dmul:
    push  {r4, r5, r6, lr}
@ Both exponents from 512 to 1535, and not both of the two largest of these: then the product is a normal number, whatever the
@ significands are. Bit 10 of an exponent plus 512 (or minus 1536) says that it is in the range.
    lsrs  r4, r1, #20
    add   r4, r4, #512
    lsrs  r5, r3, #20
    sub   r5, r5, #1536
    and   r12, r4, r5
    lsl   r12, r12, #21
    cmn   r12, #0x400000            @ 0x400 to 0x7fd in the low bits: less than the negative of this
    bge   .Ldmul_far
    add   r4, r4, r5                @ low bits: exponent - 1, bit 11: the sign
    DOUBLE_SIGNIFICANDS
    tst   lr, #0x100000
    beq   1f
    adds  r4, #1
    add   r1, lr, r4, lsl #20
    DOUBLE_ROUND_PRODUCT
1:  adds  r12, r12, r12
    adcs  r6, r6, r6
    adc   lr, lr, lr
    add   r1, lr, r4, lsl #20
    DOUBLE_ROUND_PRODUCT

@ Large and small exponents and everything that is not a normal number.
.Ldmul_far:
    ubfx  r4, r1, #20, #11
    ubfx  r5, r3, #20, #11
    movw  r12, #0x7ff
    cmp   r4, r12
    beq   .Ldmul_not_finite
    cmp   r5, r12
    beq   .Ldmul_not_finite
    cmp   r4, #0
    beq   .Ldmul_a_tiny
    cmp   r5, #0
    beq   .Ldmul_b_tiny
.Ldmul_normalised:
    add   r4, r4, r5
    sub   r4, r4, #1020
    subs  r4, #3                    @ exponent
    eor   r5, r1, r3
    lsls  r5, r5, #1                @ carry = the sign
    adc   r4, r4, r4                @ 2 exponent + sign
    DOUBLE_SIGNIFICANDS
    tst   lr, #0x100000
    beq   1f
    adds  r4, #2
    b     2f
1:  adds  r12, r12, r12
    adcs  r6, r6, r6
    adc   lr, lr, lr
2:  lsls  r1, r4, #31               @ sign
    asrs  r4, r4, #1                @ exponent
    movw  r0, #0x7ff
    cmp   r4, r0
    bge   .Ldmul_overflow
    subs  r4, #1
    bmi   .Ldmul_subnormal
    add   r1, r1, r4, lsl #20
    add   r1, r1, lr
    b     .Ldmul_round
.Ldmul_subnormal:
    rsbs  r4, r4, #0                @ places to shift
    cmp   r4, #54
    bhs   .Ldmul_underflow
    cmp   r4, #32
    blo   1f
    subs  r4, #32
    orr   r5, r5, r12
    mov   r12, r6
    mov   r6, lr
    mov   lr, #0
1:  rsb   r2, r4, #32
    lsl   r3, r12, r2
    orr   r5, r5, r3
    lsr   r12, r12, r4
    lsl   r3, r6, r2
    orr   r12, r12, r3
    lsr   r6, r6, r4
    lsl   r3, lr, r2
    orr   r6, r6, r3
    lsr   lr, lr, r4
    add   r1, r1, lr
.Ldmul_round:
    DOUBLE_ROUND_PRODUCT

.Ldmul_b_tiny:
    mov   r12, r0
    mov   r0, r2
    mov   r2, r12
    mov   r12, r1
    mov   r1, r3
    mov   r3, r12
    mov   r5, r4
.Ldmul_a_tiny:                      @ a is zero or subnormal, r5 = b's exponent
    orrs  r12, r0, r1, lsl #1
    beq   .Ldmul_zero
    cbz   r5, .Ldmul_zero           @ both tiny: far below the smallest number
    and   r6, r1, #0x80000000
    bic   r1, r1, #0x80000000
    push  {r7}
    DOUBLE_NORMALISE r1, r0, r4, r7, r12
    pop   {r7}
    orr   r1, r1, r6
    b     .Ldmul_normalised

.Ldmul_zero:
    eor   r1, r1, r3
    and   r1, r1, #0x80000000
.Ldmul_underflow:                   @ r1 = sign
    movs  r0, #0
    pop   {r4, r5, r6, pc}

.Ldmul_not_finite:                  @ r12 = 0x7ff
    lsl   r12, r12, #21             @ the upper word of infinity without its sign, at the top
    lsl   r4, r1, #1
    orrs  r5, r4, r0
    beq   .Ldmul_nan                @ a is zero, b infinite or a NaN
    cmp   r4, r12
    it    eq
    cmpeq r0, #0
    bhi   .Ldmul_nan
    lsl   r4, r3, #1
    orrs  r5, r4, r2
    beq   .Ldmul_nan
    cmp   r4, r12
    it    eq
    cmpeq r2, #0
    bhi   .Ldmul_nan
    eor   r1, r1, r3
    and   r1, r1, #0x80000000
.Ldmul_overflow:                    @ r1 = sign
    movs  r0, #0
    movt  r0, #0x7ff0
    orr   r1, r1, r0
    movs  r0, #0
    pop   {r4, r5, r6, pc}
.Ldmul_nan:
    movs  r0, #0
    movw  r1, #0
    movt  r1, #0x7ff8
    pop   {r4, r5, r6, pc}

    .size __aeabi_dmul, . - __aeabi_dmul

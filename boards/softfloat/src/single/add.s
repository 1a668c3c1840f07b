@ Sum and difference of two f32, rounded to nearest, ties to even.
@
@ In: r0 = a, r1 = b. Out: r0. Changes r1 to r3, r12 and the flags.
@
@ b's sign is flipped where that makes both signs equal; the magnitudes are then added or subtracted, the larger one first.
@ Significands stand at the top of a word, the leading bit in bit 31, so that 8 bits below the last one are kept. What the
@ smaller one loses beyond these when it is shifted is kept in a word of its own: it decides whether a tie is one.

    .section .text.stiffstep_softfloat.single_add, "ax", %progbits
    .syntax unified
    .thumb
    .balign 4

@ Ends a routine: adds r0 >> \shift to r2, rounded.
@ r0: significand; r1: not zero if something not zero was shifted out below r0; r2: sign and exponent, the leading bit not counted.
    .macro ROUND_ADD shift
    lsls  r4, r0, #(33 - \shift)    @ carry = the first bit that is dropped, r4 = those below it
    orrs  r1, r4
    beq   .Lrest_is_zero\@
    lsrs  r0, r0, #\shift           @ carry as above
    adcs  r0, r2
    mov   r4, r12
    bx    lr
.Lrest_is_zero\@:
    bcs   .Ltie\@
    lsrs  r0, r0, #\shift
    adds  r0, r0, r2
    mov   r4, r12
    bx    lr
.Ltie\@:
    lsrs  r0, r0, #\shift
    adcs  r0, r2
    lsrs  r0, r0, #1                @ rounded up to odd: back to even
    lsls  r0, r0, #1
    mov   r4, r12
    bx    lr
    .endm

@ The larger operand is in r0, the smaller in r1, r4 = 1 << 31: takes them apart.
@ Then r0, r1: significands; r2: sign and exponent of the larger one; r3: the difference of exponents in its low byte.
    .macro UNPACK not_finite, tiny
    lsrs  r2, r0, #23
    adds  r3, r2, #1
    lsls  r3, r3, #24
    beq   \not_finite
    lsls  r3, r1, #1
    lsrs  r3, r3, #24
    beq   \tiny
    subs  r3, r2, r3                @ low byte: the difference; shifts look at no other bits
    lsls  r0, r0, #8
    orrs  r0, r4
    lsls  r1, r1, #8
    orrs  r1, r4
    .endm

@ Shifts the smaller significand right into r4; what it loses is in r1.
    .macro ALIGN_SMALLER
    movs  r4, r1
    lsrs  r4, r3                    @ zero from 32 places on
    rors  r1, r3
    eors  r1, r4                    @ what was shifted out; from 32 places on not zero at any rate
    .endm

    .global __aeabi_fadd
    .type __aeabi_fadd, %function
    .thumb_func
__aeabi_fadd:
    mov   r12, r4
    movs  r4, #1
    lsls  r4, r4, #31
    movs  r2, r0
    eors  r2, r1
    bpl   .Ladd
    eors  r1, r4
    eors  r2, r4

@ a - b for equal signs, r2 = a ^ b.
.Lsubtract:
    cmp   r0, r1
    bhs   1f
    eors  r0, r2
    eors  r1, r2
    eors  r0, r4                    @ -(b - a)
1:  UNPACK .Lsub_not_finite, .Lsub_tiny
.Lsub_aligned:
    ALIGN_SMALLER
    rsbs  r1, r1, #0                @ carry = nothing was lost
    sbcs  r0, r4
    bpl   .Lnormalise
    subs  r2, #1
    lsls  r2, r2, #23
    ROUND_ADD 8

@ The smaller one is zero or subnormal, the larger one finite.
.Lsub_tiny:
    lsls  r1, r1, #1
    beq   .Lsub_nothing
    uxtb  r3, r2
    subs  r3, #1
    bmi   1f
    lsls  r0, r0, #8
    orrs  r0, r4
    lsls  r1, r1, #7
    b     .Lsub_aligned
1:  lsrs  r1, r1, #1
    subs  r0, r0, r1
.Lsub_nothing:
    lsls  r1, r0, #1
    bne   1f
    movs  r0, #0
1:  mov   r4, r12
    bx    lr

.Lsub_not_finite:
    lsls  r1, r1, #1
    lsls  r2, r0, #1
    cmp   r1, r2
    beq   .Ladd_nan                 @ inf - inf
.Ladd_not_finite:
    lsls  r2, r0, #9
    beq   1f
.Ladd_nan:
    movs  r0, #255
    lsls  r0, r0, #1
    adds  r0, #1
    lsls  r0, r0, #22
1:  mov   r4, r12
    bx    lr

    .global __aeabi_frsub
    .type __aeabi_frsub, %function
    .thumb_func
__aeabi_frsub:
    movs  r2, r0
    movs  r0, r1
    movs  r1, r2
    .global __aeabi_fsub
    .type __aeabi_fsub, %function
    .thumb_func
__aeabi_fsub:
    mov   r12, r4
    movs  r4, #1
    lsls  r4, r4, #31
    movs  r2, r0
    eors  r2, r1
    bpl   .Lsubtract
    eors  r1, r4
    eors  r2, r4

@ a + b for equal signs, r2 = a ^ b.
.Ladd:
    cmp   r0, r1
    bhs   1f
    eors  r0, r2
    eors  r1, r2
1:  UNPACK .Ladd_not_finite, .Ladd_tiny
.Ladd_aligned:
    ALIGN_SMALLER
    adds  r0, r0, r4
    bcs   .Lcarry
    subs  r2, #1
    lsls  r2, r2, #23
    ROUND_ADD 8
.Lcarry:                            @ the leading bit is the carry
    adds  r3, r2, #2
    adds  r2, #1
    lsls  r2, r2, #23
    lsls  r3, r3, #24
    beq   .Ladd_overflow
    ROUND_ADD 9

@ Cancellation: bit 31 is clear.
.Lnormalise:
    lsls  r0, r0, #1
    bpl   .Lby_more
    subs  r2, #1                    @ by one place: r1 still counts
    lsls  r3, r2, #24
    beq   .Lsub_smallest
    subs  r2, #1
    lsls  r2, r2, #23
    ROUND_ADD 8
.Lsub_smallest:                     @ a subnormal difference of the smallest normal numbers is exact
    lsls  r2, r2, #23
    lsrs  r0, r0, #9
    orrs  r0, r2
    mov   r4, r12
    bx    lr

.Ladd_tiny:
    lsls  r1, r1, #1
    beq   2f
    uxtb  r3, r2
    subs  r3, #1
    bmi   1f
    lsls  r0, r0, #8
    orrs  r0, r4
    lsls  r1, r1, #7
    b     .Ladd_aligned
1:  lsrs  r1, r1, #1
    adds  r0, r0, r1
2:  mov   r4, r12
    bx    lr

.Ladd_overflow:
    movs  r0, r2
    mov   r4, r12
    bx    lr

@ By two places or more: the exponents differ by one at most, and the difference is exact.
.Lby_more:
    beq   .Lcancelled
    movs  r3, #2                    @ places + 1
    lsrs  r1, r0, #28
    bne   2f
    lsrs  r1, r0, #16
    bne   1f
    lsls  r0, r0, #16
    adds  r3, #16
1:  lsrs  r1, r0, #24
    bne   1f
    lsls  r0, r0, #8
    adds  r3, #8
1:  lsrs  r1, r0, #28
    bne   2f
    lsls  r0, r0, #4
    adds  r3, #4
2:  lsrs  r1, r0, #30
    bne   1f
    lsls  r0, r0, #2
    adds  r3, #2
1:  cmp   r0, #0
    bmi   1f
    lsls  r0, r0, #1
    adds  r3, #1
1:  uxtb  r1, r2
    subs  r1, r1, r3
    blt   .Lsub_subnormal
    subs  r2, r2, r3
    lsls  r2, r2, #23
    lsrs  r0, r0, #8
    adds  r0, r0, r2
    mov   r4, r12
    bx    lr
.Lsub_subnormal:
    rsbs  r1, r1, #0
    lsrs  r0, r1
    lsrs  r0, r0, #8
    lsrs  r2, r2, #8
    lsls  r2, r2, #31
    orrs  r0, r2
    mov   r4, r12
    bx    lr
.Lcancelled:
    movs  r0, #0
    mov   r4, r12
    bx    lr

    .size __aeabi_fadd, . - __aeabi_fadd
    .size __aeabi_frsub, . - __aeabi_frsub
    .size __aeabi_fsub, . - __aeabi_fsub

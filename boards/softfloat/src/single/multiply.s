@ Product of two f32, rounded to nearest, ties to even.
@
@ In: r0 = a, r1 = b. Out: r0. Changes r1 to r3, r12 and the flags.

    .section .text.stiffstep_softfloat.single_multiply, "ax", %progbits
    .syntax unified
    .thumb
    .balign 4

@ r0, r1: operands, of which only the fractions count. Then r0: bits 16 to 47 of the product of their significands, the leading one
@ in bit 30 or 31; r3: those below, shifted up. N as bit 31. Changes r1 and r4.
@
@ With a = a1 2^16 + a0 and b likewise, the product is (a1 b + a0 b1) 2^16 + a0 b0; each of the three fits a word.
    .macro MULTIPLY_SIGNIFICANDS
    movs  r3, #1
    lsls  r3, r3, #23
    lsls  r1, r1, #9
    lsrs  r1, r1, #9
    orrs  r1, r3                    @ b
    uxth  r3, r0                    @ a0
    lsls  r0, r0, #9
    lsrs  r0, r0, #25
    adds  r0, #128                  @ a1
    uxth  r4, r1                    @ b0
    muls  r0, r1, r0                @ a1 b
    lsrs  r1, r1, #16               @ b1
    muls  r1, r3, r1                @ a0 b1
    muls  r3, r4, r3                @ a0 b0
    adds  r0, r0, r1
    lsrs  r1, r3, #16
    lsls  r3, r3, #16
    adds  r0, r0, r1
    .endm

@ Ends the routine: adds r0 >> \shift to r2, rounded. r3 is not zero if something not zero stands below r0.
    .macro ROUND_MULTIPLY shift
    lsls  r4, r0, #(33 - \shift)    @ carry = the first bit that is dropped, r4 = those below it
    orrs  r4, r3
    beq   .Lmul_rest_is_zero\@
    lsrs  r0, r0, #\shift           @ carry as above
    adcs  r0, r2
    mov   r4, r12
    bx    lr
.Lmul_rest_is_zero\@:
    bcs   .Lmul_tie\@
    lsrs  r0, r0, #\shift
    adds  r0, r0, r2
    mov   r4, r12
    bx    lr
.Lmul_tie\@:
    lsrs  r0, r0, #\shift
    adcs  r0, r2
    lsrs  r0, r0, #1                @ rounded up to odd: back to even
    lsls  r0, r0, #1
    mov   r4, r12
    bx    lr
    .endm

    .global __aeabi_fmul
    .type __aeabi_fmul, %function
    .thumb_func
__aeabi_fmul:
    mov   r12, r4
@ Both exponents from 64 to 191, and not both of the two largest of these: then the product is a normal number, whatever the
@ significands are. Bit 7 of an exponent plus 64 (or minus 192) says that it is in the range.
    lsrs  r2, r0, #23
    adds  r2, #64
    lsrs  r3, r1, #23
    subs  r3, #192
    movs  r4, r2
    ands  r4, r3
    lsls  r4, r4, #24
    asrs  r4, r4, #25
    adds  r4, #1                    @ 0x80 to 0xfd in the low byte give a negative number
    bpl   .Lmul_far
    adds  r2, r2, r3                @ low byte: exponent - 1, bit 8: the sign
    MULTIPLY_SIGNIFICANDS
    bmi   1f
    lsls  r2, r2, #23
    ROUND_MULTIPLY 7
1:  adds  r2, #1
    lsls  r2, r2, #23
    ROUND_MULTIPLY 8

@ Large and small exponents and everything that is not a normal number.
.Lmul_far:
    lsls  r3, r1, #1
    lsrs  r3, r3, #24               @ b's exponent
    lsls  r2, r0, #1
    lsrs  r2, r2, #24               @ a's
    beq   .Lmul_a_tiny
    cmp   r3, #0
    beq   .Lmul_b_tiny
    cmp   r2, #255
    beq   .Lmul_not_finite
    cmp   r3, #255
    beq   .Lmul_not_finite
.Lmul_normalised:
    adds  r2, r2, r3
    subs  r2, #127
    movs  r4, r0
    eors  r4, r1
    lsls  r4, r4, #1                @ carry = the sign
    adcs  r2, r2                    @ 2 exponent + sign
    MULTIPLY_SIGNIFICANDS
    bmi   1f
    lsls  r0, r0, #1
    subs  r2, #2
1:  adds  r2, #2
    asrs  r4, r2, #1                @ exponent
    lsls  r2, r2, #31               @ sign
    cmp   r4, #255
    bge   .Lmul_overflow
    subs  r4, #1
    bmi   .Lmul_subnormal
    lsls  r4, r4, #23
    orrs  r2, r4
    b     .Lmul_round
.Lmul_subnormal:
    rsbs  r4, r4, #0                @ places to shift
    movs  r1, r0
    rors  r1, r4
    lsrs  r0, r4
    eors  r1, r0
    orrs  r3, r1
.Lmul_round:
    ROUND_MULTIPLY 8

.Lmul_b_tiny:
    movs  r4, r0
    movs  r0, r1
    movs  r1, r4
    movs  r3, r2
.Lmul_a_tiny:                       @ a is zero or subnormal, r3 = b's exponent
    cmp   r3, #255
    beq   .Lmul_not_finite
    lsls  r4, r0, #8
    beq   .Lmul_zero
    cmp   r3, #0
    beq   .Lmul_zero                @ both tiny: far below the smallest number
    movs  r2, #1
    lsrs  r0, r0, #31
    lsls  r0, r0, #31
    push  {r1}
    NORMALISE r4, r2, r1
    pop   {r1}
    lsrs  r4, r4, #8
    orrs  r0, r4
    b     .Lmul_normalised

.Lmul_zero:
    eors  r0, r1
    lsrs  r0, r0, #31
    lsls  r0, r0, #31
    mov   r4, r12
    bx    lr

.Lmul_not_finite:
    movs  r4, #255
    lsls  r4, r4, #24               @ infinity without its sign, at the top
    lsls  r2, r0, #1
    beq   .Lmul_nan
    cmp   r2, r4
    bhi   .Lmul_nan
    lsls  r3, r1, #1
    beq   .Lmul_nan
    cmp   r3, r4
    bhi   .Lmul_nan
    eors  r0, r1
    lsrs  r2, r0, #31
    lsls  r2, r2, #31
.Lmul_overflow:                     @ r2 = sign
    movs  r0, #255
    lsls  r0, r0, #23
    orrs  r0, r2
    mov   r4, r12
    bx    lr
.Lmul_nan:
    ldr   r0, =0x7fc00000
    mov   r4, r12
    bx    lr
    .pool

    .size __aeabi_fmul, . - __aeabi_fmul

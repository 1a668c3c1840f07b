@ Where multiplication adds two words itself.

    .syntax unified
    .thumb

@ r1, r0 times r3, r2 in lr, r6, r12, r5, the upper words first.
    .macro MULTIPLY_WORDS
    umull r5, r12, r0, r2
    mov   r6, #0
    umaal r12, r6, r1, r2
    mov   lr, #0
    umaal r12, lr, r0, r3
    umaal r6, lr, r1, r3
    .endm

"""The benchmark by solvers that PyPI has: scipy's Radau, SUNDIALS' CVODE and IDA by scikit-sundae, CasADi's collocation.

Prints a line of JSON for each problem and solver: steps, evaluations of the model, the largest error at the end and, where C code is
generated and callgrind is there, instructions a step. Each solver gets every problem that it has a form for; what fails is said so.
"""

import importlib.metadata
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

import casadi
import numpy as np
from scipy.integrate import solve_ivp
from sksundae.cvode import CVODE
from sksundae.ida import IDA

TOLERANCE = 1e-6

P1_SOFT = [0.8795496719125605, -0.4758100771256342, -0.4641541631903483, -0.8580087584033399]
P1_STIFF = [0.8795481325658396, -0.4758099229581391, -0.4641573585312106, -0.8580080373946690]
P2 = [0.8795481324118903, -0.4758099229427187, -0.4641573588509873, -0.8580080373224359]
P3 = [0.9106272806180871, 0.0316601686676349]
P3_STIFF = [0.003294282805074924, 0.00046985163319]
P4_SOFT = [0.012251738979306, 0.001980334247626, 0.012372115826875, 0.002010453268878]
OSCILLATOR = [1.706167732170469, -0.0008928097010248125]


def pendulum(m, stiffness):
    """Unit mass on a spring of unit length: positions, velocities."""

    def rhs(t, x):
        r = m.sqrt(x[0] * x[0] + x[1] * x[1])
        pull = stiffness * (r - 1) / r
        return [x[2], x[3], -pull * x[0], -pull * x[1] - 1]

    return rhs


def rigid(m):
    """The same on a rod, of index 3: derivatives, and the constraint on z = lambda."""

    def rhs(t, x, z):
        return [x[2], x[3], -z[0] * x[0], -z[0] * x[1] - 1], [(x[0] * x[0] + x[1] * x[1] - 1) / 2]

    return rhs


def series(m, resistance):
    """A capacitor of 1, an inductor of 0.5 and a resistor at one volt: voltage, current; and the voltages of the other two."""

    def rhs(t, x, z):
        return [x[1], z[0] / 0.5], [1 - x[0] - z[0] - z[1], z[1] - resistance * x[1]]

    return rhs


def circuit(m, resistance):
    """The same without algebraic equations."""

    def rhs(t, x):
        return [x[1], (1 - x[0] - resistance * x[1]) / 0.5]

    return rhs


def arm(m, stiffness):
    """Two links on elastic joints: positions of links and motors, velocities."""
    a, b, d, g1, g2 = 0.6, 0.125, 1 / 12, 7.3575, 2.4525

    def rhs(t, x):
        q1, q2, p1, p2, w1, w2, v1, v2 = [x[k] for k in range(8)]
        e1 = stiffness * (p1 - q1) + (v1 - w1)
        e2 = stiffness * (p2 - q2) + (v2 - w2)
        c, s, both = m.cos(q2), m.sin(q2), g2 * m.cos(q1 + q2)
        f1 = e1 - g1 * m.cos(q1) - both + b * s * (2 * w1 * w2 + w2 * w2)
        f2 = e2 - both - b * s * w1 * w1
        m11, m12, m22 = a + 2 * b * c, d + b * c, d
        det = m11 * m22 - m12 * m12
        accelerations = [(m22 * f1 - m12 * f2) / det, (m11 * f2 - m12 * f1) / det]
        return [w1, w2, v1, v2, *accelerations, (12 - e1) / 0.01, (3 - e2) / 0.01]

    return rhs


def oscillator(m):
    """Van der Pol's with mu = 1000."""

    def rhs(t, x):
        return [x[1], 1000 * (1 - x[0] * x[0]) * x[1] - x[0]]

    return rhs


# Name, equations, start, start of algebraic variables, end, step of fixed steps, solution.
ODES = [
    ("P1 eps 1e-3", lambda m: pendulum(m, 1e6), [1, 0, 0, 0], 1.0, 1e-2, P1_SOFT),
    ("P1 eps 1e-5", lambda m: pendulum(m, 1e10), [1, 0, 0, 0], 1.0, 1e-2, P1_STIFF),
    ("P3 stiff ODE", lambda m: circuit(m, 2121.320343559643), [0, 0], 7.0, 1e-2, P3_STIFF),
    ("P4 K 1e5", lambda m: arm(m, 1e5), [0] * 8, 0.1, 1e-3, P4_SOFT),
    ("adaptive van der Pol", oscillator, [2, 0], 2000.0, None, OSCILLATOR),
]
DAES = [
    ("P2", rigid, [1, 0, 0, 0], [0], 1.0, 1e-2, P2),
    ("P3 DAE", lambda m: series(m, 3.0), [0, 0], [1, 0], 7.0, 1e-2, P3),
]


def tell(problem, solver, package, **figures):
    version = importlib.metadata.version(package)
    line = {"problem": problem, "solver": solver, "version": version, **figures}
    print(json.dumps(line), flush=True)


def error(found, exact):
    return max(abs(float(a) - b) for a, b in zip(found, exact))


def attempt(problem, solver, package, run):
    """Runs one, and says why it fails if it does."""
    try:
        tell(problem, solver, package, **run())
    except Exception as failure:  # Whatever a solver throws is its answer.
        reason = str(failure).strip().split("\n")[-1]
        tell(problem, solver, package, fails=reason or type(failure).__name__)


def radau(rhs, x, end, exact):
    found = solve_ivp(rhs, (0, end), x, method="Radau", rtol=TOLERANCE, atol=TOLERANCE)
    if not found.success:
        raise RuntimeError(found.message)
    steps = len(found.t) - 1
    return {"steps": steps, "evaluations": found.nfev, "error": error(found.y[:, -1], exact)}


class Counted:
    """A function that counts its calls."""

    def __init__(self, function):
        self.function, self.calls = function, 0

    def __call__(self, *arguments):
        self.calls += 1
        self.function(*arguments)


def sundials(found, exact):
    if not found.success:
        raise RuntimeError(found.message)
    return {"steps": len(found.t) - 1, "error": error(found.y[-1], exact)}


def cvode(rhs, x, end, exact):
    def fill(t, y, yp):
        yp[:] = rhs(t, y)

    counted = Counted(fill)
    wrapped = lambda t, y, yp: counted(t, y, yp)
    solver = CVODE(wrapped, rtol=TOLERANCE, atol=TOLERANCE, max_num_steps=10**6)
    found = sundials(solver.solve([0, end], np.array(x, float)), exact)
    return {**found, "evaluations": counted.calls}


def ida(rhs, x, z, end, exact):
    n = len(x)

    def residual(t, y, yp, res):
        f, g = rhs(t, y[:n], y[n:])
        res[:n] = yp[:n] - np.array(f)
        res[n:] = g

    counted = Counted(residual)
    wrapped = lambda t, y, yp, res: counted(t, y, yp, res)
    algebraic = list(range(n, n + len(z)))
    solver = IDA(wrapped, rtol=TOLERANCE, atol=TOLERANCE, algebraic_idx=algebraic, max_num_steps=10**6)
    start = np.array([*x, *z], float)
    slope = np.array([*rhs(0, x, z)[0], *([0] * len(z))], float)
    found = sundials(solver.solve([0, end], start, slope), exact)
    return {**found, "evaluations": counted.calls}


MAIN = """
#include <stdio.h>
#include <string.h>
int step(const double** arg, double** res, long long int* iw, double* w, int mem);
int step_work(long long int*, long long int*, long long int*, long long int*);
int step_checkout(void);
__attribute__((noinline)) void once(const double** arg, double** res, long long int* iw, double* w, int mem) { step(arg, res, iw, w, mem); }
int main(void) {
  static double x[16] = {START}, z[16] = {ALGEBRAIC}, xf[16], zf[16], w[100000];
  static long long int iw[100000];
  static const double* arg[100]; static double* res[100];
  int mem = step_checkout();
  for (int k = 0; k < STEPS; k++) {
    memset(arg, 0, sizeof arg); memset(res, 0, sizeof res);
    arg[0] = x; arg[1] = z; res[0] = xf; res[1] = zf;
    once(arg, res, iw, w, mem);
    memcpy(x, xf, sizeof x); memcpy(z, zf, sizeof z);
  }
  for (int k = 0; k < 8; k++) printf("%.17g ", x[k]);
  return 0;
}
"""


def collocation(rhs, x, z, end, h, exact):
    """CasADi's Radau collocation of three points as generated C, a step of ours at a time."""
    n, points = len(x), casadi.collocation_points(3, "radau")
    slopes, ends, _ = casadi.collocation_coeff(points)
    sx, sz = casadi.SX.sym("x", n), casadi.SX.sym("z", len(z))
    stages, algebraic = casadi.SX.sym("X", n, 3), casadi.SX.sym("Z", len(z), 3)
    path = casadi.horzcat(sx, stages) @ slopes
    residual = []
    for k in range(3):
        f, g = rhs(0, stages[:, k], algebraic[:, k]) if z else (rhs(0, stages[:, k]), [])
        residual += [h * casadi.vertcat(*f) - path[:, k], *g]
    unknown = casadi.veccat(stages, algebraic)
    equations = {"x": unknown, "p": sx, "g": casadi.vertcat(*residual)}
    newton = casadi.rootfinder("newton", "fast_newton", equations, {"abstol": 1e-9})
    mx, mz = casadi.MX.sym("x", n), casadi.MX.sym("z", len(z))
    start = casadi.vertcat(casadi.repmat(mx, 3, 1), casadi.repmat(mz, 3, 1))
    found = newton(start, mx)
    inner = casadi.reshape(found[: 3 * n], n, 3)
    last = found[3 * n + 2 * len(z) :]
    step = casadi.Function("step", [mx, mz], [casadi.horzcat(mx, inner) @ ends, last])
    steps = round(end / h)
    with tempfile.TemporaryDirectory() as folder:
        here = pathlib.Path(folder)
        generator = casadi.CodeGenerator("step.c")
        generator.add(step)
        generator.generate(f"{folder}/")
        values = lambda of: ", ".join(str(float(v)) for v in of) or "0"
        main = MAIN.replace("START", values(x)).replace("ALGEBRAIC", values(z)).replace("STEPS", str(steps))
        (here / "main.c").write_text(main)
        subprocess.run(["cc", "-O2", "-w", "-g", "step.c", "main.c", "-lm", "-o", "run"], cwd=here, check=True)
        found = [float(word) for word in subprocess.run([here / "run"], capture_output=True, text=True, check=True).stdout.split()]
        figures = {"steps": steps, "error": error(found, exact)}
        if shutil.which("valgrind"):
            counted = subprocess.run(
                ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--toggle-collect=once", here / "run"],
                capture_output=True,
                text=True,
                check=True,
            )
            total = int(counted.stderr.split("Collected :")[1].split()[0])
            figures["instructions"] = total / steps
    if not figures["error"] < 1:
        raise RuntimeError("diverges")
    return figures


def main():
    for problem, make, x, end, h, exact in ODES:
        attempt(problem, "scipy Radau", "scipy", lambda: radau(make(np), x, end, exact))
        attempt(problem, "SUNDIALS CVODE", "scikit-sundae", lambda: cvode(make(np), x, end, exact))
        if h and shutil.which("cc"):
            attempt(problem, "CasADi collocation", "casadi", lambda: collocation(make(casadi), x, [], end, h, exact))
    for problem, make, x, z, end, h, exact in DAES:
        attempt(problem, "SUNDIALS IDA", "scikit-sundae", lambda: ida(make(np), x, z, end, exact))
        if shutil.which("cc"):
            attempt(problem, "CasADi collocation", "casadi", lambda: collocation(make(casadi), x, z, end, h, exact))


if __name__ == "__main__":
    sys.exit(main())

// Package thermal computes a gas that carries its own heat: 37 populations that reach
// three cells far, of which density, velocity and temperature are moments (D2Q37; Calore
// and others 2016), relaxed by BGK or, more stable, in stress and flux of heat alone, in
// two copies. p = ρT, ν = χ = (τ−½)T, so that Pr = 1; γ = 2. Where there is no cell, what
// left a cell comes back to it: walls without slip through which no heat goes. It is a
// physics of the engine, on grids of one layer.
//
// Gravity shifts the velocity and the temperature towards which populations relax, so that
// a step gives ρg of momentum and exactly the force's work of energy; Moments has those in
// the middle of a step, which are the gas's own.
//
// Walls at the bottom and at the top of a box have temperatures. They lie half a cell
// outside the first row. What left a cell of the three nearest rows through a wall stays in
// the cell and arrives there in the next step, changed to what comes from gas behind the
// wall, at the place from which it would come: with temperature and velocity on straight
// lines from the cell's through the wall's, the pressure of gas at rest under gravity, and
// the cell's stress and flux of heat. Densities follow from the pressure, so that the mass
// that comes back to a row is not what left it; only over a column is it nearly the same.
// What a row is short of stays with it as a debt, and in the next step the debts of the
// three rows, which cancel where the gas is steady, are paid to the first one: mass is
// exact, whatever the temperatures. It needs one more value of each cell.
//
// What is wrong by that falls with the square of a cell's size: heat is conducted to 1e-3 of
// the difference of temperatures with 8 rows, flows between walls are right to 2 % of the
// largest velocity with 16 rows at τ = 0.55 and to 0.2 % at τ = 0.8. The cost of walls is
// that of six rows; all others are computed as without.
package thermal

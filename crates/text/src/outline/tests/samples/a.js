/**
 * Pool of connections.
 * @license MIT
 */
'use strict'
const fs = require('fs'), { a } = require("./a").b;
import x, {y} from './api';
import 'side';
export * from './c';
/** Takes one. */
export async function take(pool, n = 1) { return 1 }
/* eslint-disable */
// Limit
export const LIMIT = 3;
let z = 4;
const helper = (a, b) => a + b;
export default class Pool extends Base {
  #secret() {}
  /** gives */
  get size() { return 0 }
  static async make(x) {}
  onClick = () => { };
  field = 3;
}
function hidden() {}
Pool.prototype.late = function (q) {};
exports.thing = function thing2() {};
module.exports = { hidden, other: helper };
describe('x', () => { it('y', () => {}) });
export default () => 1;

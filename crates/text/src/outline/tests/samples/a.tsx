// Copyright 2021 X
// The view of users.

import { Component } from 'react';
import type { U } from "../types";
import fs = require("fs");
/** Props of it. */
export interface Props extends Base<string> { name: string; onX(a: number): void; }
export type Id = string | number;
type P = { a: 1 };
export enum Color { Red, Green }
export abstract class View<T> extends Component<Props> implements Z {
  private x = 1;
  constructor(private readonly a: string) { super(); }
  protected hidden(): void {}
  abstract draw(a: T): Promise<void>;
  public render = (): Element => <div/>;
}
@Injectable()
export class Svc { @Input() m(): void {} }
declare function ext(a: string): void;
declare module 'foo' { export function inner(): void; }
export namespace N { export const K = 1; function q() {} }
export function over(a: string): void;
export function over(a: any) {}
export const useX = <T,>(x: T): Promise<T> => { return x };
const A = memo(() => 1);
export { A as B };
const conf: Config = {
  a: 1 };

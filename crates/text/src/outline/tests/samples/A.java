/*
 * Licensed under the Apache License, Version 2.0
 */
package a.b;
import java.util.List;
import static a.B.c;
import x.y.*;

/**
 * A pool of <b>things</b>.
 * @since 1
 */
@Deprecated
public final class Pool<T> extends Base implements X {
  public static final int MAX = 3;
  private int n;
  /** Makes. */
  public Pool(int n) { this.n = n; }
  @Override public T take() throws E { return null; }
  void hidden() {}
  @Test
  void works() {}
  interface In { void m(); int K = 1; }
  enum Color { RED, GREEN; void f() {} }
  record P(int x, int y) { P { } }
}
@interface Ann { String value(); }

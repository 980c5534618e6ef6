/**
 * The check digit of ISO/IEC 7064's hybrid system MOD M+1,M, for an alphabet of `radix` = M digits, M even. It is a digit of the
 * same alphabet. Every single wrong digit is found, and nearly every swap of two neighbours.
 */
export function checkDigit(digits: readonly number[], radix: number): number {
  let product = radix;
  for (const digit of digits) {
    const sum = (product + digit) % radix;
    // M + 1 is odd, so doubling loses nothing: what differs after one digit differs to the end.
    product = ((sum === 0 ? radix : sum) * 2) % (radix + 1);
  }
  return (radix + 1 - product) % radix;
}

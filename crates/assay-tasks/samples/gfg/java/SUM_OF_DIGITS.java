// Written for assay, in the form of TransCoder's scripts.

import java.util.*;
public class SUM_OF_DIGITS{
static int f_gold ( int n ) {
  int sum = 0 ;
  while ( n > 0 ) {
    sum += n % 10 ;
    n /= 10 ;
  }
  return sum ;
}


//TOFILL

public static void main(String args[]) {
}
}

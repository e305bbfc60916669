// Written for assay, in the form of TransCoder's scripts.

import java.util.*;
public class REVERSE_IN_PLACE{
static void f_gold ( int arr [ ] , int n ) {
  for ( int i = 0 ; i < n / 2 ; i ++ ) {
    int kept = arr [ i ] ;
    arr [ i ] = arr [ n - 1 - i ] ;
    arr [ n - 1 - i ] = kept ;
  }
}


//TOFILL

public static void main(String args[]) {
}
}

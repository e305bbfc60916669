// Written for assay, in the form of TransCoder's scripts.

import java.util.*;
public class LARGEST_BELOW{
static int f_gold ( int arr [ ] , int n , int limit ) {
  int best = - 1 ;
  for ( int i = 0 ; i < n ; i ++ )
    if ( arr [ i ] < limit && arr [ i ] > best ) best = arr [ i ] ;
  return best ;
}


//TOFILL

public static void main(String args[]) {
}
}

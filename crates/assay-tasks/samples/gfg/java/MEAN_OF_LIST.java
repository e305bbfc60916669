// Written for assay, in the form of TransCoder's scripts.

import java.util.*;
public class MEAN_OF_LIST{
static double f_gold ( double arr [ ] , int n ) {
  double sum = 0 ;
  for ( double x : arr ) sum += x ;
  return sum / n ;
}


//TOFILL

public static void main(String args[]) {
}
}

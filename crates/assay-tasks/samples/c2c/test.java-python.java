static int largestGap ( int [ ] values ) { int largest = 0 ; for ( int i = 1 ; i < values . length ; i ++ ) { int gap = values [ i ] - values [ i - 1 ] ; if ( gap > largest ) { largest = gap ; } } return largest ; }
static boolean isLeapYear ( int year ) { if ( year % 400 == 0 ) { return true ; } return year % 4 == 0 && year % 100 != 0 ; }
static int countVowels ( String text ) { int count = 0 ; for ( char letter : text . toCharArray ( ) ) { if ( "aeiou" . indexOf ( letter ) >= 0 ) { count ++ ; } } return count ; }
static Map < String , Integer > wordCounts ( List < String > words ) { Map < String , Integer > counts = new HashMap < > ( ) ; for ( String word : words ) { counts . put ( word , counts . getOrDefault ( word , 0 ) + 1 ) ; } return counts ; }
static double safeDivide ( double top , double bottom ) { if ( bottom == 0 ) { throw new IllegalArgumentException ( "division by zero" ) ; } return top / bottom ; }
static int digitSum ( int number ) { int sum = 0 ; while ( number > 0 ) { sum += number % 10 ; number /= 10 ; } return sum ; }
static int parseOr ( String text , int fallback ) { try { return Integer . parseInt ( text ) ; } catch ( NumberFormatException e ) { return fallback ; } }
static String signName ( int number ) { if ( number > 0 ) { return "positive" ; } else if ( number < 0 ) { return "negative" ; } else { return "zero" ; } }
static void printTable ( int factor , int rows ) { for ( int i = 1 ; i <= rows ; i ++ ) { System . out . println ( i * factor ) ; } }
static String reversedWords ( String line ) { String [ ] words = line . split ( " " ) ; StringBuilder result = new StringBuilder ( ) ; for ( int i = words . length - 1 ; i >= 0 ; i -- ) { result . append ( words [ i ] ) ; if ( i > 0 ) { result . append ( " " ) ; } } return result . toString ( ) ; }
static int greatestDivisor ( int a , int b ) { while ( b != 0 ) { int rest = a % b ; a = b ; b = rest ; } return a ; }
static Integer firstRepeat ( int [ ] values ) { Set < Integer > seen = new HashSet < > ( ) ; for ( int value : values ) { if ( ! seen . add ( value ) ) { return value ; } } return null ; }

public int size() {return count;}
public boolean isEmpty() {return entries.size() == 0;}
public void close() throws IOException {if (stream != null) {stream.close();stream = null;}}
public String toString() {return "Range[" + start + ", " + end + "]";}
public boolean equals(Object other) {if (!(other instanceof Token)) {return false;}return name.equals(((Token) other).name);}
public int hashCode() {return 31 * name.hashCode() + kind;}
public List<String> getNames() {List<String> names = new ArrayList<String>();for (Entry entry : entries) {names.add(entry.getName());}return names;}
public int find(String key) {for (int i = 0; i < keys.length; i++) {if (keys[i].equals(key)) {return i;}}return -1;}
public void put(String key, Integer value) {if (key == null) {throw new IllegalArgumentException("no key");}map.put(key, value);}
public static int max(int[] values) {int best = values[0];for (int value : values) {best = Math.max(best, value);}return best;}
public synchronized long next() {long result = counter;counter += step;return result;}
public Cursor clone() {Cursor copy = new Cursor(buffer);copy.position = position;return copy;}

public virtual int Size(){return count;}
public virtual bool IsEmpty(){return entries.Count == 0;}
public virtual void Close(){if (stream != null){stream.Close();stream = null;}}
public override string ToString(){return "Range[" + start + ", " + end + "]";}
public override bool Equals(object other){if (!(other is Token)){return false;}return name.Equals(((Token)other).name);}
public override int GetHashCode(){return 31 * name.GetHashCode() + kind;}
public virtual IList<string> GetNames(){IList<string> names = new List<string>();foreach (Entry entry in entries){names.Add(entry.GetName());}return names;}
public virtual int Find(string key){for (int i = 0; i < keys.Length; i++){if (keys[i].Equals(key)){return i;}}return -1;}
public virtual void Put(string key, int value){if (key == null){throw new ArgumentException("no key");}map[key] = value;}
public static int Max(int[] values){int best = values[0];foreach (int value in values){best = Math.Max(best, value);}return best;}
public virtual long Next(){lock (this){long result = counter;counter += step;return result;}}
public virtual object Clone(){Cursor copy = new Cursor(buffer);copy.position = position;return copy;}

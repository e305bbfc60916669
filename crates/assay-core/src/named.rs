//! Values by name, in the order in which they were put there.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A short list of named values, written as a JSON object. Names are unique.
#[derive(Debug, Clone, PartialEq)]
pub struct Named<T>(Vec<(Cow<'static, str>, T)>);

impl<T> Named<T> {
    /// Nothing yet.
    pub fn new() -> Self {
        Self(Vec::new())
    }

    /// Adds a value, or replaces the one of that name.
    pub fn set(&mut self, name: impl Into<Cow<'static, str>>, value: T) {
        let name = name.into();
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some((_, old)) => *old = value,
            None => self.0.push((name, value)),
        }
    }

    /// The value called `name`.
    pub fn get(&self, name: &str) -> Option<&T> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// Names and values, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &T)> {
        self.0.iter().map(|(name, value)| (name.as_ref(), value))
    }

    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<T> Default for Named<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Serialize> Serialize for Named<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in self.iter() {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Named<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(InOrder(PhantomData))
    }
}

struct InOrder<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for InOrder<T> {
    type Value = Named<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of named values")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Named<T>, A::Error> {
        let mut named = Named::new();
        while let Some((name, value)) = map.next_entry::<String, T>()? {
            named.set(name, value);
        }
        Ok(named)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_its_order_in_json() {
        let mut named = Named::new();
        named.set("z", 1.5);
        named.set("a", 0.1);
        named.set("z", 2.5);
        let text = serde_json::to_string(&named).unwrap();
        assert_eq!(text, r#"{"z":2.5,"a":0.1}"#);
        assert_eq!(serde_json::from_str::<Named<f64>>(&text).unwrap(), named);
        assert_eq!(named.get("a"), Some(&0.1));
    }
}

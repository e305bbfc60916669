//! Columns of numbers and of sorted strings, as stored in the packed table.

use crate::strings::Strings;
use crate::table::TableError;

/// Appends columns.
#[derive(Default)]
pub(crate) struct Writer(Vec<u8>);

impl Writer {
    pub(crate) fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number.to_le_bytes()[0] | 0x80);
            number >>= 7;
        }
        self.0.push(number.to_le_bytes()[0]);
    }

    /// Writes the count, then each number.
    pub(crate) fn numbers(&mut self, numbers: impl ExactSizeIterator<Item = u64>) {
        self.number(numbers.len() as u64);
        numbers.for_each(|number| self.number(number));
    }

    /// Writes two bytes per number, all low bytes before all high ones: similar bytes compress
    /// better together.
    pub(crate) fn pairs(&mut self, numbers: &[u16]) {
        self.number(numbers.len() as u64);
        self.0.extend(numbers.iter().map(|number| number.to_le_bytes()[0]));
        self.0.extend(numbers.iter().map(|number| number.to_le_bytes()[1]));
    }

    /// Writes sorted strings: the lengths of the prefixes shared with the previous string, the
    /// lengths of the rests, the rests.
    pub(crate) fn strings(&mut self, strings: &Strings) {
        let mut before: &[u8] = &[];
        let mut rests = Vec::new();
        let mut shared = Vec::new();
        for string in strings.iter() {
            let same = before.iter().zip(string).take_while(|(left, right)| left == right).count();
            shared.push(same as u64);
            rests.push(&string[same..]);
            before = string;
        }
        self.numbers(shared.into_iter());
        self.numbers(rests.iter().map(|rest| rest.len() as u64));
        self.0.extend(rests.concat());
    }

    pub(crate) fn finish(self) -> Vec<u8> {
        self.0
    }
}

/// Reads columns from the front, in the order in which they were written.
pub(crate) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub(crate) fn number(&mut self) -> Result<u64, TableError> {
        let mut number = 0;
        for place in 0..10 {
            let byte = self.take(1)?[0];
            number |= u64::from(byte & 0x7f) << (7 * place).min(63);
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(TableError::new("a number is too long"))
    }

    /// A count of elements that each take at least a byte.
    fn count(&mut self) -> Result<usize, TableError> {
        let count = usize::try_from(self.number()?).unwrap_or(usize::MAX);
        if count > self.0.len() {
            return Err(TableError::new("it ends too early"));
        }
        Ok(count)
    }

    pub(crate) fn numbers<T: TryFrom<u64>>(&mut self) -> Result<Vec<T>, TableError> {
        let count = self.count()?;
        let narrow =
            |number| T::try_from(number).map_err(|_| TableError::new("a number is too large"));
        (0..count).map(|_| self.number().and_then(narrow)).collect()
    }

    pub(crate) fn pairs(&mut self) -> Result<Vec<u16>, TableError> {
        let count = self.count()?;
        let (low, high) = (self.take(count)?, self.take(count)?);
        Ok(low.iter().zip(high).map(|(&low, &high)| u16::from_le_bytes([low, high])).collect())
    }

    pub(crate) fn strings(&mut self) -> Result<Strings, TableError> {
        let shared: Vec<usize> = self.numbers::<u32>()?.into_iter().map(|n| n as usize).collect();
        let lengths: Vec<u32> = self.numbers()?;
        let mut strings = Strings::default();
        let mut current = Vec::new();
        for (&same, &length) in shared.iter().zip(&lengths) {
            if same > current.len() {
                return Err(TableError::new("a string shares more than there is"));
            }
            current.truncate(same);
            current.extend_from_slice(self.take(length as usize)?);
            strings.push(&current);
        }
        Ok(strings)
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], TableError> {
        let (taken, rest) =
            self.0.split_at_checked(count).ok_or_else(|| TableError::new("it ends too early"))?;
        self.0 = rest;
        Ok(taken)
    }
}

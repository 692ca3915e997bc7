//! ArraysEx, and functions as arrays.

use crate::error::{Checked, wrong};
use crate::sort::{Scalar, ScriptSort, Sorts};
use crate::table::{DeclaredFunction, Typed};
use crate::theory::held;
use term::{Op, Pool, Sort, Term};

/// Longer tables stay chains of stores.
const MAX_CONTENT: u64 = 1 << 20;

fn parts(sorts: &Sorts, array: Typed) -> Checked<(Scalar, Scalar)> {
    match array.sort {
        ScriptSort::Array { index, elem } => Ok((index, elem)),
        sort => wrong(format!("array expected, found {}", sorts.name(sort))),
    }
}

fn fits(sorts: &Sorts, expected: Scalar, arg: Typed) -> Checked<()> {
    fits_sort(sorts, ScriptSort::Scalar(expected), arg)
}

/// Is an argument of the sort of its parameter?
pub(super) fn fits_sort(sorts: &Sorts, expected: ScriptSort, arg: Typed) -> Checked<()> {
    if arg.sort == expected {
        return Ok(());
    }
    let (expected, found) = (sorts.name(expected), sorts.name(arg.sort));
    wrong(format!("{expected} expected, found {found}"))
}

pub(super) fn select(pool: &mut Pool, sorts: &Sorts, args: &[Typed]) -> Checked<Typed> {
    let (index, elem) = parts(sorts, args[0])?;
    fits(sorts, index, args[1])?;
    let at = held::bits(pool, index, args[1].term);
    let read = pool.select(args[0].term, at);
    Ok(held::value(pool, elem, read))
}

pub(super) fn store(pool: &mut Pool, sorts: &Sorts, args: &[Typed]) -> Checked<Typed> {
    let (index, elem) = parts(sorts, args[0])?;
    fits(sorts, index, args[1])?;
    fits(sorts, elem, args[2])?;
    let at = held::bits(pool, index, args[1].term);
    let element = held::bits(pool, elem, args[2].term);
    Ok(Typed {
        term: pool.store(args[0].term, at, element),
        sort: args[0].sort,
    })
}

/// `((as const S) v)`.
pub(crate) fn constant(
    pool: &mut Pool,
    sorts: &Sorts,
    sort: ScriptSort,
    args: &[Typed],
) -> Checked<Typed> {
    let ScriptSort::Array { index, elem } = sort else {
        return wrong(format!("array sort expected, found {}", sorts.name(sort)));
    };
    let [value] = args else {
        return wrong(format!(
            "a constant array has 1 argument, not {}",
            args.len()
        ));
    };
    fits(sorts, elem, *value)?;
    let element = held::bits(pool, elem, value.term);
    Ok(Typed {
        term: pool.array_const(index.width(), elem.width(), element),
        sort,
    })
}

/// A declared function of some arguments: a read of its array at all of them side by side, the
/// first one highest.
pub(crate) fn call(
    pool: &mut Pool,
    sorts: &Sorts,
    function: &DeclaredFunction,
    args: &[Typed],
) -> Checked<Typed> {
    if args.len() != function.params.len() {
        let (want, have) = (function.params.len(), args.len());
        return wrong(format!("the function has {want} arguments, not {have}"));
    }
    let mut index = Term::NONE;
    for (&param, &arg) in function.params.iter().zip(args) {
        fits(sorts, param, arg)?;
        let bits = held::bits(pool, param, arg.term);
        index = if index.is_none() {
            bits
        } else {
            pool.concat(index, bits)
        };
    }
    let read = pool.select(function.array, index);
    Ok(held::value(pool, function.result, read))
}

/// A read with what a log says of its access: `LO HI SIZE`, decimal. `None` when it says something else;
/// what rewriting has turned into no read stays as it is.
pub(crate) fn accessed(pool: &mut Pool, read: Term, note: &str) -> Option<Term> {
    let mut numbers = note.split(' ').map(str::parse::<u64>);
    let [Some(Ok(lo)), Some(Ok(hi)), Some(Ok(size)), None] = [(); 4].map(|()| numbers.next())
    else {
        return None;
    };
    let size = u32::try_from(size)
        .ok()
        .filter(|&size| size > 0 && lo <= hi)?;
    if pool.op(read) != Op::Select {
        return Some(read);
    }
    let (array, index) = (pool.child(read, 0), pool.child(read, 1));
    Some(pool.select_typed(array, index, lo, hi, size))
}

/// Stores of constants at constant indices over zeroes or over constant content, as constant content;
/// other terms as they are.
pub(crate) fn content(pool: &mut Pool, value: Typed) -> Typed {
    let table = Sort::Array { index: 64, elem: 8 };
    let mut updates: Vec<(usize, u8)> = Vec::new();
    let mut base = value.term;
    while pool.op(base) == Op::Store {
        let [at, element] = [1, 2].map(|k| pool.as_const(pool.child(base, k)));
        let (Some(at @ 0..MAX_CONTENT), Some(element)) = (at, element) else {
            return value;
        };
        updates.push((at as usize, element as u8));
        base = pool.child(base, 0);
    }
    if pool.sort(base) != table || updates.is_empty() {
        return value;
    }
    let mut bytes = match pool.op(base) {
        Op::ArrayBytes => pool.array_content(base).to_vec(),
        Op::ArrayConst if pool.as_const(pool.child(base, 0)) == Some(0) => Vec::new(),
        _ => return value,
    };
    let end = updates.iter().map(|u| u.0 + 1).max().unwrap_or(0);
    bytes.resize(end.max(bytes.len()), 0);
    for (at, element) in updates.into_iter().rev() {
        bytes[at] = element;
    }
    Typed {
        term: pool.array_bytes(&bytes),
        ..value
    }
}

#[cfg(test)]
mod tests {
    use crate::{Command, Reader};
    use term::{Op, Pool, Term};

    /// The last assertion of a script.
    fn asserted(pool: &mut Pool, script: &str, is_log: bool) -> Result<Term, String> {
        let mut reader = Reader::new(script.as_bytes());
        reader.trust_log(is_log);
        let mut last = Term::NONE;
        while let Some(command) = reader.next(pool).map_err(|e| e.to_string())? {
            if let Command::Assert(assertion) = command {
                last = assertion.term;
            }
        }
        Ok(last)
    }

    const SCRIPT: &str = "
        (declare-const x (_ BitVec 8))
        (define-fun t () (Array (_ BitVec 64) (_ BitVec 8))
          (store (store ((as const (Array (_ BitVec 64) (_ BitVec 8))) #x00)
            #x0000000000000002 #x07) #x0000000000000000 #x05))
        (assert (= #x05 (! (select t ((_ zero_extend 56) x)) :polypath-access |NOTE|)))";

    #[test]
    fn a_log_is_read_as_it_was_asked() {
        let mut pool = Pool::new();
        let symbol = pool.new_symbol("x", term::Sort::BitVec(8));
        let x = pool.symbol_term(symbol);
        let table = pool.array_bytes(&[5, 0, 7]);
        let index = pool.zext(64, x);
        let read = pool.select_typed(table, index, 0, 12, 4);
        let five = pool.bv(8, 5);
        let condition = pool.eq(five, read);
        let text = term::Printer::new(&pool)
            .with_accesses()
            .script(&[condition]);
        assert!(text.contains(":polypath-access |0 12 4|"), "{text}");
        for text in [text, SCRIPT.replace("NOTE", "0 12 4")] {
            let own = asserted(&mut pool, &text, true).unwrap();
            let kids = pool.children(own).to_vec();
            let select = kids.into_iter().find(|&k| pool.op(k) == Op::Select);
            let select = select.expect("the read is there");
            assert_eq!(pool.select_bounds(select), Some((0, 12)));
            assert_eq!(pool.select_size(select), 4);
            assert_eq!(pool.child(select, 0), table);
        }
    }

    #[test]
    fn other_scripts_are_not_believed_and_other_notes_are_refused() {
        let mut pool = Pool::new();
        let plain = asserted(&mut pool, &SCRIPT.replace("NOTE", "0 12 4"), false).unwrap();
        let reads = pool.cone(&[plain]);
        let read = reads.iter().find(|&&t| pool.op(t) == Op::Select).unwrap();
        assert_eq!(pool.select_bounds(*read), None);
        for note in ["", "1 0 4", "0 1", "0 1 0", "0 1 2 3", "a b c"] {
            let said = asserted(&mut pool, &SCRIPT.replace("NOTE", note), true);
            assert!(said.is_err_and(|e| e.contains("access")), "{note}");
        }
    }
}

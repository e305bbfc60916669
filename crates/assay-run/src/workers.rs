//! Work that is spread over threads.

use std::ops::ControlFlow;

use assay_core::{Error, Result};
use crossbeam_channel::{Sender, bounded};

/// Takes the next thing to be done; breaks when nobody wants more.
pub(crate) type Give<'a, I> = dyn FnMut(I) -> ControlFlow<()> + 'a;
/// Takes what came of the work.
pub(crate) type Take<'a, O> = dyn FnMut(O) -> Result<()> + 'a;

/// One thread produces, `jobs` threads work, this one passes on what came of it, in whatever order
/// it comes. The channels are short, so that memory stays flat however much there is to do. The first
/// failure of anyone ends the work.
pub(crate) fn spread<I: Send, O: Send>(
    jobs: usize,
    produce: impl FnOnce(&mut Give<'_, I>) -> Result<()> + Send,
    work: impl Fn(I, &mut Take<'_, O>) -> Result<()> + Sync,
    sink: &mut Take<'_, O>,
) -> Result<()> {
    let (to_workers, items) = bounded::<I>(jobs * 2);
    let (to_sink, outcomes) = bounded::<Result<O>>(jobs * 2);
    std::thread::scope(|scope| {
        let errors = to_sink.clone();
        scope.spawn(move || {
            let give = &mut |item| match to_workers.send(item) {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            };
            report(produce(give), &errors);
        });
        for _ in 0..jobs {
            let (items, to_sink, work) = (items.clone(), to_sink.clone(), &work);
            scope.spawn(move || {
                let each = |item| work(item, &mut |outcome| send(&to_sink, outcome));
                report(items.iter().try_for_each(each), &to_sink);
            });
        }
        drop((items, to_sink));
        // If anything fails, closing the channel ends the workers, and they the producer.
        outcomes.into_iter().try_for_each(|outcome| sink(outcome?))
    })
}

/// The same on this thread alone, for work that is done faster than a thread can be woken.
pub(crate) fn in_line<I, O>(
    produce: impl FnOnce(&mut Give<'_, I>) -> Result<()>,
    work: impl Fn(I, &mut Take<'_, O>) -> Result<()>,
    sink: &mut Take<'_, O>,
) -> Result<()> {
    let mut outcome = Ok(());
    produce(&mut |item| {
        if outcome.is_ok() {
            outcome = work(item, sink);
        }
        if outcome.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    outcome
}

/// Passes something on; fails if nobody listens any more.
pub(crate) fn send<O>(to_sink: &Sender<Result<O>>, outcome: O) -> Result<()> {
    to_sink.send(Ok(outcome)).map_err(|_| Error::failed("the run has ended"))
}

/// Passes a failure on. If nobody listens any more, there was another one before.
pub(crate) fn report<O>(outcome: Result<()>, to_sink: &Sender<Result<O>>) {
    if let Err(error) = outcome {
        let _ = to_sink.send(Err(error));
    }
}

// Loaded before all else: a process whose wall clock was set back by an hour before it started.
const HOUR = 3_600_000;
const { timeOrigin } = performance;
const now = Date.now.bind(Date);
Object.defineProperty(performance, 'timeOrigin', { value: timeOrigin - HOUR });
Date.now = () => now() - HOUR;

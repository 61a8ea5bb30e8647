import Core
import Foundation

@testable import CarePlans

/// A slow second implementation of schedules: each event of each element by one addition of the calendar, then all of them
/// sorted by start.
struct ScheduleModel {
    let elements: [CareScheduleElement]

    init(_ schedule: CareSchedule) { elements = schedule.elements }

    /// The first events of one element, up to a number of events or the end of the element.
    private func events(of element: CareScheduleElement, count: Int) -> [(start: Date, end: Date)] {
        var events: [(start: Date, end: Date)] = []
        var date = element.start
        while events.count < count {
            var (start, end) = (date, date)
            switch element.duration {
            case .allDay:
                start = element.calendar.startOfDay(for: date)
                end = element.calendar.date(byAdding: DateComponents(day: 1, second: -1), to: start) ?? start
            case .seconds(let seconds): end = start.addingTimeInterval(seconds)
            }
            if let last = element.end, start >= last { break }
            events.append((start, end))
            guard let next = element.calendar.date(byAdding: element.interval, to: start) else { break }
            date = next
        }
        return events
    }

    /// The first events of the schedule.
    func events(count: Int) -> [CareScheduleEvent] {
        let all = elements.enumerated().flatMap { index, element in
            events(of: element, count: count).map { (start: $0.start, end: $0.end, element: index) }
        }
        let sorted = all.enumerated().sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }
        return sorted.prefix(count).enumerated().map { index, event in
            CareScheduleEvent(
                occurrence: index, start: event.element.start, end: event.element.end, element: event.element.element)
        }
    }
}

import Foundation
import HealthData

/// The meanings of the words in the head of an electrocardiogram. The head is written in the language of the phone.
///
/// Only words that Apple writes in its files and manuals are here: to guess at a finding is worse than not to know it.
enum ElectrocardiogramWords {
    /// The lines of the head.
    enum Label { case recorded, classification, symptoms, version, device, rate, lead, unit, heartRate, person }

    /// The line that a label names; nil for a language that is not known.
    static func label(_ text: String) -> Label? { labels[folded(text)] }

    /// The finding; nil for words that are not known.
    static func classification(_ text: String) -> Electrocardiogram.Classification? {
        let words = folded(text)
        if let known = findings[words] { return known }
        // The bound is another one on other watches.
        if words.hasPrefix("heart rate over ") { return .inconclusiveHighHeartRate }
        if words.hasPrefix("heart rate under ") { return .inconclusiveLowHeartRate }
        return nil
    }

    /// Whether there were symptoms; nil for words that are not known.
    static func symptoms(_ text: String) -> Electrocardiogram.SymptomsStatus? {
        let words = folded(text)
        if words.isEmpty { return .notSet }
        if noSymptoms.contains(words) { return .absent }
        // Only a list of them has a mark between.
        return text.contains(",") || text.contains(";") || symptomNames.contains(words) ? .present : nil
    }

    /// Whether the text is a word for hertz.
    static func isHertz(_ text: String) -> Bool { hertz.contains(folded(text)) }

    /// Returns the factor that makes microvolts of the unit; nil for one that is none of volt.
    static func microvolts(_ text: String) -> Int? {
        switch folded(text) {
        case "µv", "μv", "uv", "microvolt", "microvolts", "мкв": 1
        case "mv", "millivolt", "millivolts", "мв": 1000
        case "v", "volt", "volts", "в": 1_000_000
        default: nil
        }
    }

    /// Whether the text is a word for beats a minute.
    static func isBeatsPerMinute(_ text: String) -> Bool { beatsPerMinute.contains(folded(text)) }

    /// Lower case, without accents, every kind of blank and dash one blank.
    static func folded(_ text: String) -> String {
        text.folding(options: [.diacriticInsensitive, .caseInsensitive], locale: nil)
            .split { $0.isWhitespace || "-–—:".contains($0) }.joined(separator: " ")
    }

    private static let labels: [String: Label] = [
        "name": .person, "date of birth": .person, "recorded date": .recorded, "classification": .classification,
        "symptoms": .symptoms, "software version": .version, "device": .device, "sample rate": .rate, "lead": .lead,
        "unit": .unit, "average heart rate": .heartRate, "heart rate": .heartRate,
        "geburtstag": .person, "geburtsdatum": .person, "aufzeichnungsdatum": .recorded,
        "klassifizierung": .classification, "symptome": .symptoms, "softwareversion": .version, "gerat": .device,
        "messrate": .rate, "abtastrate": .rate, "ableitung": .lead, "einheit": .unit,
        "durchschnittliche herzfrequenz": .heartRate,
    ]

    private static let findings: [String: Electrocardiogram.Classification] = [
        "not set": .notSet, "sinus rhythm": .sinusRhythm, "atrial fibrillation": .atrialFibrillation,
        "atrial fibrillation high heart rate": .atrialFibrillation, "inconclusive": .inconclusiveOther,
        "low heart rate": .inconclusiveLowHeartRate, "high heart rate": .inconclusiveHighHeartRate,
        "inconclusive low heart rate": .inconclusiveLowHeartRate,
        "inconclusive high heart rate": .inconclusiveHighHeartRate, "poor recording": .inconclusivePoorReading,
        "inconclusive poor reading": .inconclusivePoorReading, "inconclusive other": .inconclusiveOther,
        "unrecognized": .unrecognized,
        // German, French, Spanish, Italian, Portuguese, Dutch: the names of the rhythms.
        "sinusrhythmus": .sinusRhythm, "vorhofflimmern": .atrialFibrillation, "uneindeutig": .inconclusiveOther,
        "niedrige herzfrequenz": .inconclusiveLowHeartRate, "hohe herzfrequenz": .inconclusiveHighHeartRate,
        "rythme sinusal": .sinusRhythm, "fibrillation auriculaire": .atrialFibrillation,
        "fibrillation atriale": .atrialFibrillation, "ritmo sinusal": .sinusRhythm,
        "fibrilacion auricular": .atrialFibrillation, "fibrilacao atrial": .atrialFibrillation,
        "ritmo sinusale": .sinusRhythm, "fibrillazione atriale": .atrialFibrillation, "sinusritme": .sinusRhythm,
        "atriumfibrilleren": .atrialFibrillation, "boezemfibrilleren": .atrialFibrillation,
    ]

    private static let noSymptoms: Set<String> = [
        "none", "no symptoms", "ohne", "keine", "aucun", "aucune", "ninguno", "ninguna", "nessuno", "nessuna",
        "nenhum", "nenhuma", "geen",
    ]

    /// The symptoms that the ECG app offers, in English.
    private static let symptomNames: Set<String> = [
        "rapid, pounding, or fluttering heartbeat", "skipped heartbeat", "fatigue", "shortness of breath",
        "chest tightness or pain", "fainting", "dizziness", "other",
    ]

    private static let hertz: Set<String> = [
        "hz", "hertz", "hercios", "гц", "герц", "ヘルツ", "赫兹", "赫茲", "헤르츠",
    ]

    private static let beatsPerMinute: Set<String> = [
        "bpm", "beats/min", "beats/minute", "count/min", "/min", "s/min", "schlage/min", "battements/min", "lpm", "ppm",
    ]
}

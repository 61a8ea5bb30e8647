import Questionnaires

/// The sentences of tasks and of their problems in other languages than English.
public enum SurveySentences {
    /// The sentences of tasks, and those of forms.
    public static let table = SentenceTable.standard.adding([("de", german), ("es", spanish), ("fr", french)])

    /// Returns a sentence in a language; nil for English.
    static func text(_ sentence: Sentence, in language: String?) -> String { sentence.text(in: language, from: table) }

    private static let german: StaticString = """
        Another one: {1}?
        Noch ein Eintrag: {1}?
        Other
        Andere
        The class of the result is not known, and its answer is ignored.
        Die Klasse des Ergebnisses ist unbekannt, und seine Antwort bleibt unbeachtet.
        The result has an answer of a type that its question does not have.
        Das Ergebnis hat eine Antwort eines Typs, den seine Frage nicht hat.
        The file of the result cannot be read.
        Die Datei des Ergebnisses kann nicht gelesen werden.
        The form has no question of this identifier.
        Das Formular hat keine Frage mit dieser Kennung.
        The question above this item has no such answer, so its answer is omitted.
        Die Frage über diesem Eintrag hat keine solche Antwort, daher entfällt seine Antwort.
        """

    private static let spanish: StaticString = """
        Another one: {1}?
        ¿Otro más: {1}?
        Other
        Otro
        The class of the result is not known, and its answer is ignored.
        La clase del resultado no se conoce y su respuesta se ignora.
        The result has an answer of a type that its question does not have.
        El resultado tiene una respuesta de un tipo que su pregunta no tiene.
        The file of the result cannot be read.
        El archivo del resultado no se puede leer.
        The form has no question of this identifier.
        El formulario no tiene ninguna pregunta con este identificador.
        The question above this item has no such answer, so its answer is omitted.
        La pregunta superior no tiene esa respuesta, por lo que su respuesta se omite.
        """

    private static let french: StaticString = """
        Another one: {1}?
        Encore un élément : {1} ?
        Other
        Autre
        The class of the result is not known, and its answer is ignored.
        La classe du résultat n’est pas connue et sa réponse est ignorée.
        The result has an answer of a type that its question does not have.
        Le résultat a une réponse d’un type que sa question n’a pas.
        The file of the result cannot be read.
        Le fichier du résultat ne peut pas être lu.
        The form has no question of this identifier.
        Le formulaire n’a pas de question avec cet identifiant.
        The question above this item has no such answer, so its answer is omitted.
        La question supérieure n’a pas cette réponse, sa réponse est donc omise.
        """
}

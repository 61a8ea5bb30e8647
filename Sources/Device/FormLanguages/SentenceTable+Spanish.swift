extension SentenceTable {
    /// The sentences in Spanish: pairs of lines, the English template and its translation.
    static let spanish: StaticString = """
        yes
        sí
        no
        no
        The form is a draft.
        El formulario es un borrador.
        The form is retired.
        El formulario está retirado.
        The form was not in use when it was answered.
        El formulario no estaba en uso cuando se respondió.
        The response is for another form.
        Las respuestas corresponden a otro formulario.
        The response is for another version of the form.
        Las respuestas corresponden a otra versión del formulario.
        The member item must be a list.
        El elemento item debe ser una lista.
        An item must be an object.
        Una entrada debe ser un objeto.
        An item of the response has no linkId.
        Una entrada de las respuestas no tiene linkId.
        The item is at another path in the form.
        La entrada está en otro lugar del formulario.
        The form has no item of this linkId.
        El formulario no tiene ninguna entrada con este linkId.
        The item follows one that comes later in the form.
        La entrada sigue a otra que viene después en el formulario.
        The item's text differs from the form's.
        El texto de la entrada difiere del texto del formulario.
        A display item takes no answer.
        Un texto informativo no admite respuesta.
        A display item has no items.
        Un texto informativo no contiene entradas.
        A group takes items, not answers.
        Un grupo contiene entradas, no respuestas.
        A group takes items, not answers: set those inside.
        Un grupo contiene entradas, no respuestas: indique las respuestas de su interior.
        A group takes an object of its items, not an answer.
        Un grupo contiene un objeto con sus entradas, no una respuesta.
        The group does not repeat, but occurs again.
        El grupo no se puede repetir, pero aparece más de una vez.
        The group has more instances than are permitted.
        El grupo aparece más veces de las permitidas.
        A question occurs once, with all its answers in it.
        Una pregunta aparece una sola vez y contiene todas sus respuestas.
        Items below a question belong inside its answers.
        Las entradas que dependen de una pregunta van dentro de sus respuestas.
        The member answer must be a list.
        El elemento answer debe ser una lista.
        The answer has no value.
        La respuesta no tiene valor.
        An answer has one value, but this one has several.
        Una respuesta tiene un solo valor, pero esta tiene varios.
        The item is not enabled and must have no answer.
        La entrada no está activa y no debe tener respuesta.
        The item is not enabled with these answers; its answer is omitted.
        La entrada no está activa con estas respuestas; su respuesta se omite.
        At least one question of this group needs an answer.
        Responda al menos a una pregunta de este grupo.
        The question needs an answer.
        La pregunta necesita una respuesta.
        The question takes one answer.
        La pregunta admite una sola respuesta.
        At least {1} are required.
        Se requieren al menos {1}.
        The maximum is {1}.
        El máximo es {1}.
        One of the chosen answers excludes all others.
        Una de las respuestas elegidas excluye todas las demás.
        An item of the abstract type question takes no answer.
        Una entrada del tipo abstracto question no admite respuesta.
        The answer must be of the type {1}.
        La respuesta debe ser del tipo {1}.
        The answer is not valid for its type.
        La respuesta no es válida para su tipo.
        The answer is longer than {1} characters.
        La respuesta tiene más de {1} caracteres.
        The answer is shorter than {1} characters.
        La respuesta tiene menos de {1} caracteres.
        The answer must be on one line.
        La respuesta debe ocupar una sola línea.
        The answer does not have the required form.
        La respuesta no tiene la forma requerida.
        Matching the form's pattern takes too long; it is not checked.
        La comparación con el patrón del formulario tarda demasiado; no se comprueba.
        The answer is below the least value.
        La respuesta es inferior al valor mínimo.
        The answer is above the greatest value.
        La respuesta es superior al valor máximo.
        The answer's unit is not comparable to that of the minimum.
        La unidad de la respuesta no se puede comparar con la del mínimo.
        The answer's unit is not comparable to that of the maximum.
        La unidad de la respuesta no se puede comparar con la del máximo.
        The form does not specify the unit of the minimum; it is not checked.
        El formulario no indica la unidad del mínimo; no se comprueba.
        The form does not specify the unit of the maximum; it is not checked.
        El formulario no indica la unidad del máximo; no se comprueba.
        The answer has more than {1} decimal places.
        La respuesta tiene más de {1} decimales.
        The answer is not one of the question's options.
        La respuesta no es una de las opciones de la pregunta.
        The display text is none of the texts of the answer's code.
        El texto no es ninguno de los textos del código de la respuesta.
        The value is not a valid answer to a question of the type {1}.
        El valor no es una respuesta válida a una pregunta del tipo {1}.
        The answer's unit needs a code from the question's value set of units.
        La unidad de la respuesta necesita un código de las unidades de la pregunta.
        The question does not permit the answer's unit.
        La pregunta no permite la unidad de la respuesta.
        The answer's unit differs from the question's unit.
        La unidad de la respuesta difiere de la unidad de la pregunta.
        Files of this type are not taken.
        No se aceptan archivos de este tipo.
        The file's data is not base64.
        Los datos del archivo no están en base64.
        The file is larger than {1} bytes.
        El archivo ocupa más de {1} bytes.
        The file's size differs from the declared one.
        El tamaño del archivo difiere del declarado.
        The reference is not in a form that FHIR permits.
        La referencia no tiene una forma que FHIR permita.
        FHIR R4 does not define the referenced resource type.
        FHIR R4 no define el tipo del recurso al que se hace referencia.
        The URL does not end with a resource's type and id.
        La URL no termina con el tipo y el id de un recurso.
        The reference has no target.
        La referencia no tiene destino.
        The question does not permit a reference to a resource of this type.
        La pregunta no permite una referencia a un recurso de este tipo.
        The answer is not a valid URL.
        La respuesta no es una URL válida.
        The answers must be a JSON object of linkIds with values.
        Las respuestas deben ser un objeto JSON de linkIds con valores.
        The member item must be an object of linkIds.
        El elemento item debe ser un objeto de linkIds.
        The answers contain this path twice; the first value is used.
        Las respuestas contienen esta ruta dos veces; se usa el primer valor.
        The item does not belong here.
        La entrada no corresponde aquí.
        The question above this item has no such answer, so there are no items below it.
        La pregunta de la que depende esta entrada no tiene esa respuesta, por lo que no contiene entradas.
        The question above this item has several answers; identify one, as in question[0]/item.
        La pregunta de la que depende esta entrada tiene varias respuestas; indique una, como en question[0]/item.
        The group {1} has {2} repetitions, counted from 0: only the next can be added, if the group repeats.
        El grupo {1} tiene {2} repeticiones, contadas desde 0: solo se puede añadir la siguiente, si el grupo se \
        repite.
        The question has {1} answers, counted from 0: only the next can be added.
        La pregunta tiene {1} respuestas, contadas desde 0: solo se puede añadir la siguiente.
        The answers do not make a valid response ({1} errors).
        Las respuestas no forman un conjunto válido ({1} errores).
        This question needs an answer.
        Esta pregunta necesita una respuesta.
        The answer is removed.
        La respuesta se ha borrado.
        The file cannot be read.
        No se puede leer el archivo.
        This is the first question.
        Esta es la primera pregunta.
        An expression of the form is not evaluated: {1}
        Una expresión del formulario no se evalúa: {1}
        An expression of the form fails: {1}
        Una expresión del formulario falla: {1}
        The answers break the form's rule {1}.
        Las respuestas incumplen la regla {1} del formulario.
        The form calculates an answer that the response does not have.
        El formulario calcula una respuesta que falta en las respuestas.
        The answer differs from the one that the form calculates.
        La respuesta difiere de la que calcula el formulario.
        The expression depends on itself: {1}.
        La expresión depende de sí misma: {1}.
        A variable depends on itself.
        Una variable depende de sí misma.
        The language {1} is not evaluated.
        El lenguaje {1} no se evalúa.
        Queries are not available here.
        Aquí no se pueden hacer consultas.
        A query cannot be executed.
        Una consulta no se puede ejecutar.
        The variable %{1} fails: {2}
        La variable %{1} falla: {2}
        The expression has several values instead of true or false.
        La expresión tiene varios valores en lugar de verdadero o falso.
        The value set is not available.
        El conjunto de valores no está disponible.
        A value of the type {1} does not answer the question.
        Un valor del tipo {1} no responde a la pregunta.
        The expression has {1} values, and the question takes one answer.
        La expresión tiene {1} valores y la pregunta admite una sola respuesta.
        The unit of a value is not comparable to that of the question.
        La unidad de un valor no es comparable con la de la pregunta.
        More than {1} variables are read one through the other.
        Más de {1} variables se leen una a través de otra.
        """
}

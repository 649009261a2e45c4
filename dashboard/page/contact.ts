/** The one book of this page, and how to read it while drawing. */
import { useEffect, useState } from 'preact/hooks'
import { type Contact, contactBook } from './contact-book.ts'

export const contacts = contactBook(Date.now())

export function useContact(): Contact {
  const [contact, setContact] = useState(contacts.now())
  useEffect(() => contacts.listen(() => setContact(contacts.now())), [])
  return contact
}

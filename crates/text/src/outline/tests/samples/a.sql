-- Schema of the shop.

/* Users of it */
CREATE TABLE IF NOT EXISTS public."users" (
  id BIGINT PRIMARY KEY, -- the id
  -- how to reach them
  email VARCHAR(255) NOT NULL DEFAULT 'a,(b' ,
  "age" NUMERIC(10, 2) COMMENT 'years',
  CONSTRAINT u UNIQUE (email),
  FOREIGN KEY (x) REFERENCES y(z)
);
CREATE UNIQUE INDEX CONCURRENTLY idx_email ON public.users (email);
CREATE OR REPLACE VIEW adults AS SELECT * FROM users WHERE age > 17;
create function f(a int) returns int as $$ select 1; create table no(); $$ language sql;
COMMENT ON TABLE public.users IS 'People''s';
COMMENT ON COLUMN public.users.id IS 'key of it';
INSERT INTO users VALUES (1, 'create table x (y int)');
CREATE TYPE mood AS ENUM ('a', 'b');
CREATE TABLE [dbo].[Orders] ([Id] int);

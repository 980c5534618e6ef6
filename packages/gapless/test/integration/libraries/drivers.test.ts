import callbacks from 'mysql2';
import mysql from 'mysql2/promise';
import pg from 'pg';
import postgres from 'postgres';
import { MARIADB, POSTGRES } from '../number-database.js';
import { worksWith } from './library.js';

worksWith('pg', POSTGRES, async (url) => {
  const pool = new pg.Pool({ connectionString: url });
  return {
    transaction: async (work) => {
      const client = await pool.connect();
      try {
        await client.query('BEGIN');
        const result = await work(client);
        await client.query('COMMIT');
        return result;
      } catch (error) {
        await client.query('ROLLBACK');
        throw error;
      } finally {
        client.release();
      }
    },
    roots: [pool],
    together: true,
    end: () => pool.end(),
  };
});

worksWith('postgres', POSTGRES, async (url) => {
  const sql = postgres(url, { onnotice: () => {} });
  return {
    transaction: async <T>(work: (tx: unknown) => Promise<T>) => (await sql.begin(work)) as T,
    roots: [sql],
    together: true,
    end: () => sql.end(),
  };
});

worksWith('mysql2/promise', MARIADB, async (url) => {
  const pool = mysql.createPool(url);
  return {
    transaction: async (work) => {
      const connection = await pool.getConnection();
      try {
        await connection.beginTransaction();
        const result = await work(connection);
        await connection.commit();
        return result;
      } catch (error) {
        await connection.rollback();
        throw error;
      } finally {
        connection.release();
      }
    },
    roots: [pool],
    end: () => pool.end(),
  };
});

worksWith('mysql2', MARIADB, async (url) => {
  const connection = callbacks.createConnection(url);
  const run = (sql: string) =>
    new Promise<void>((resolve, reject) => {
      connection.query(sql, (error) => (error === null ? resolve() : reject(error)));
    });
  const pool = callbacks.createPool(url);
  return {
    transaction: async (work) => {
      await run('BEGIN');
      try {
        const result = await work(connection);
        await run('COMMIT');
        return result;
      } catch (error) {
        await run('ROLLBACK');
        throw error;
      }
    },
    roots: [pool],
    end: () => Promise.all([pool, connection].map((one) => one.promise().end())),
  };
});
